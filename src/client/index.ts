export type { Change } from "./changes.ts";
export type { Client } from "./client.ts";
export { DisconnectedError, LostEditError, RefusedError } from "./errors.ts";
export type { LiveChange, LiveEnd, LiveEvents } from "./live-events.ts";
export type { LiveText } from "./live-text.ts";
export {
  documentPath,
  findWorkspace,
  type Located,
  locateDaemon,
} from "./locate.ts";
export { type ConnectOptions, connect } from "./node.ts";
export type { ClientEvents, ClientState } from "./options.ts";
export { processLives } from "./process.ts";

export type { Change } from "./changes.ts";
export type { Client } from "./client.ts";
export { DisconnectedError, LostEditError, RefusedError } from "./errors.ts";
export type { LiveChange, LiveEnd, LiveEvents } from "./live-events.ts";
export type { LiveText } from "./live-text.ts";
export {
  type DaemonSighting,
  documentPath,
  findWorkspace,
  type Located,
  locateDaemon,
  lookForDaemon,
} from "./locate.ts";
export { type ConnectOptions, connect } from "./node.ts";
export type { ClientEvents, ClientState } from "./options.ts";
export { processBegan, processLives } from "./process.ts";
export { challenge, doubted, type Proof, provenDaemon } from "./prove.ts";

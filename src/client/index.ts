export { DisconnectedError, RefusedError } from "./calls.ts";
export { Client, type ConnectOptions } from "./client.ts";
export {
  documentPath,
  findWorkspace,
  type Located,
  locateDaemon,
} from "./locate.ts";
export { processLives } from "./process.ts";

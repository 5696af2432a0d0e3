export {
  Client,
  type ConnectOptions,
  DisconnectedError,
  RefusedError,
} from "./client.ts";
export {
  documentPath,
  findWorkspace,
  type Located,
  locateDaemon,
} from "./locate.ts";
export { processLives } from "./process.ts";

/** The exports for a workspace's `daemon.config.ts`. */
export {
  type Config,
  defineConfig,
  type PartialConfig,
} from "./daemon/config/define-config.ts";
export { PRIVATE } from "./workspace/access/private-files.ts";
export { PROTECTED } from "./workspace/access/protection.ts";

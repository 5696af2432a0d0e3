import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { atEnd } from "../e2e/cleanup.ts";

/** The environment and the files of a home that lead an agent to a model at an address. */
interface AgentHome {
  readonly env: (model: string, home: string) => Readonly<Record<string, string>>;
  readonly files?: (model: string) => Readonly<Record<string, string>>;
}

/** The files of a home of opencode, or of a program that is built on it. */
const opencodeFiles = (path: string) => (model: string) => ({
  [path]: JSON.stringify({
    model: "here/scripted",
    small_model: "here/scripted",
    provider: {
      here: {
        npm: "@ai-sdk/openai-compatible",
        name: "here",
        options: { baseURL: `${model}/v1`, apiKey: "none" },
        models: { scripted: { name: "scripted" } },
      },
    },
  }),
});
const opencodeEnv = (_model: string, home: string) => ({
  XDG_CONFIG_HOME: join(home, ".config"),
  XDG_DATA_HOME: join(home, ".data"),
});

const HOMES = {
  claude: {
    // IS_SANDBOX lets Claude Code run as root without questions, which the adapter and the program read differently.
    env: (model, home) => ({
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: model,
      CLAUDE_CONFIG_DIR: home,
      IS_SANDBOX: "",
    }),
  },
  codex: {
    env: (_model, home) => ({
      CODEX_HOME: home,
      CODEX_API_KEY: "none",
      INITIAL_AGENT_MODE: "read-only",
    }),
    files: (model) => ({
      "config.toml": `model = "scripted"
model_provider = "here"
[model_providers.here]
name = "here"
base_url = "${model}/v1"
wire_api = "responses"
`,
    }),
  },
  gemini: {
    env: (model) => ({
      GEMINI_API_KEY: "none",
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    files: () => ({
      ".gemini/settings.json": '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }',
    }),
  },
  opencode: { env: opencodeEnv, files: opencodeFiles(".config/opencode/opencode.json") },
  kilo: { env: opencodeEnv, files: opencodeFiles(".config/kilo/kilo.json") },
  copilot: {
    env: (model) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: "none",
      COPILOT_MODEL: "scripted",
    }),
  },
  qwen: {
    env: (model) => ({ OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: "scripted" }),
  },
} satisfies Record<string, AgentHome>;

export type AgentName = keyof typeof HOMES;

/** Makes a home for an agent; returns the environment that leads the agent there and to a model at an address. */
export function homeFor(agent: AgentName, model: string): Readonly<Record<string, string>> {
  const { env, files }: AgentHome = HOMES[agent];
  const root = mkdtempSync(join(tmpdir(), "spliced-agent-"));
  // Programs that an agent left behind may still write into its home.
  atEnd(() => rm(root, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined));
  for (const [path, text] of Object.entries(files?.(model) ?? {})) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { HOME: root, ...env(model, root) };
}

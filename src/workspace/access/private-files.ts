import { copiedBeside } from "../../mirror/editors/editor-files.ts";
import type { DocPath } from "../../mirror/path.ts";
import { spelledOnce } from "../../paths/glob.ts";
import { anyGlobOrInside } from "../../paths/glob-set.ts";

/**
 * Files with secrets, which no agent sees. A glob that begins with `!` excludes the matches of a glob before it.
 * docs/decisions/23-ignored-and-private.md gives the reasons.
 */
export const PRIVATE: readonly string[] = [
  // settings with secrets, and not their published patterns
  "**/.env",
  "**/.env.*",
  "!**/.env.example",
  "!**/.env.sample",
  "!**/.env.template",
  "**/.dev.vars",
  "**/.streamlit/secrets.toml",
  "**/local.settings.json",
  // private keys, and files that hold a certificate with its key
  "**/*.pem",
  "**/*.key",
  "**/*.p8",
  "**/*.p12",
  "**/*.pfx",
  "**/*.pkcs12",
  "**/*.jks",
  "**/*.keystore",
  "**/*.ppk",
  "**/*.kdbx",
  "**/id_rsa",
  "**/id_dsa",
  "**/id_ecdsa",
  "**/id_ecdsa_sk",
  "**/id_ed25519",
  "**/id_ed25519_sk",
  "**/.ssh",
  "**/.gnupg",
  "**/.password-store",
  // credentials of package registries, git and databases
  "**/.npmrc",
  "**/.pypirc",
  "**/.netrc",
  "**/_netrc",
  "**/.git-credentials",
  "**/.cargo/credentials",
  "**/.cargo/credentials.toml",
  "**/.gem/credentials",
  "**/.m2/settings.xml",
  "**/auth.json",
  "**/.pgpass",
  "**/.my.cnf",
  "**/.htpasswd",
  "**/.config/gh/hosts.yml",
  // credentials of clouds and of tools for servers
  "**/.aws",
  "**/.azure",
  "**/.config/gcloud",
  "**/application_default_credentials.json",
  "**/client_secret*.json",
  "**/service-account*.json",
  "**/serviceAccountKey.json",
  "**/.boto",
  "**/.s3cfg",
  "**/.docker/config.json",
  "**/.dockercfg",
  "**/.kube",
  "**/kubeconfig",
  "**/*.kubeconfig",
  "**/*.tfvars",
  "**/*.tfvars.json",
  "**/*.tfstate",
  "**/*.tfstate.*",
  "**/.terraformrc",
  "**/.terraform.d",
  "**/.vault-token",
  "**/.vault_pass",
  "**/.vault_pass.txt",
  // the text of all files that a killed Joe had open
  "**/DEADJOE",
  // the text that a program with GLib saves, under a name that does not tell the file
  "**/.goutputstream-*",
  // credentials of agents
  "**/.claude/.credentials.json",
];

/**
 * Returns a test for private paths. It ignores case and Unicode form, and accepts every path in a private folder. The
 * backups, locks, swap files and unfinished saves of a private file have its text, so they are private, too.
 */
export function privatePaths(globs: readonly string[]): (path: string) => boolean {
  const folds = globs.map(spelledOnce);
  const any = anyGlobOrInside(folds.filter((glob) => !glob.startsWith("!")));
  // The last glob that matches decides.
  const rules = folds.reverse().map((glob) => {
    const takesBack = glob.startsWith("!");
    return { isPrivate: !takesBack, matches: anyGlobOrInside([takesBack ? glob.slice(1) : glob]) };
  });
  const isPrivate = (path: string) => {
    const spelled = spelledOnce(path);
    return any(spelled) && rules.find(({ matches }) => matches(spelled))!.isPrivate;
  };
  return (path) => isPrivate(path) || copiedBeside(path as DocPath).some(isPrivate);
}

import { existsSync } from "node:fs";
import { MIN_SECRET_CHARS, type Secrets } from "./secrets.ts";

/** Names that say that their value is one. */
const NAMES =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT|PWD_HASH|AUTH|COOKIE|DSN)(?:_|$)/i;

/** Registers what variables hold that are secrets by their name, and passwords in addresses. Paths and numbers are none. */
export function addEnvironment(secrets: Secrets, env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value = ""] of Object.entries(env)) {
    if (value.length < MIN_SECRET_CHARS) continue;
    const password = passwordIn(value);
    if (password !== undefined) secrets.add(password, name);
    else if (NAMES.test(name) && !isHarmless(value)) secrets.add(value, name);
  }
}

/** Whether a variable is a secret by its name, however short, or holds a password in an address. */
export function holdsSecret(name: string, value: string = ""): boolean {
  return passwordIn(value) !== undefined || (NAMES.test(name) && !isHarmless(value));
}

function isHarmless(value: string): boolean {
  return (
    /^[\d.,:]+$|^(?:true|false|yes|no|none|null)$/i.test(value) || (/^[~/.]/.test(value) && isPath(value))
  );
}

function isPath(value: string): boolean {
  return existsSync(value) || /^~?\/[\w.-]+(?:\/[\w.-]+)*\.\w{2,5}$/.test(value);
}

function passwordIn(value: string): string | undefined {
  const [, password] = /^[a-z][a-z\d+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i.exec(value) ?? [];
  if (password === undefined) return undefined;
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

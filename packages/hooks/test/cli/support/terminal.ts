import { spawn } from "node:child_process";
import { entry, type CliFixture } from "./cli-fixture.ts";

/** Debian and macOS always have it. */
const script = "/usr/bin/script";

/** The built binary at a pseudo terminal. */
export class Terminal {
  readonly ended: Promise<number | null>;
  readonly #child;
  #output = "";
  readonly #waiting = new Set<() => void>();
  #over = false;

  constructor(fixture: CliFixture, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const command = [process.execPath, entry, ...argv];
    const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    const linux = ["-qefc", quoted, "/dev/null"];
    const bsd = ["-qe", "/dev/null", ...command];
    this.#child = spawn(script, process.platform === "linux" ? linux : bsd, {
      cwd: fixture.workspace,
      env: { ...fixture.env, TERM: "xterm", SHELL: "/bin/sh", ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child.stdin.on("error", () => undefined);
    this.#child.stdout
      .setEncoding("utf8")
      .on("data", (text: string) => this.#hear(() => (this.#output += text)));
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject).once("close", (code) => {
        this.#hear(() => (this.#over = true));
        resolve(code);
      });
    });
  }

  /** Everything that the terminal was sent, echo included. */
  get output(): string {
    return this.#output;
  }

  /** Types; `\r` is the return key. */
  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Resolves once the terminal shows the text; rejects when the program ends without. */
  async saw(text: string): Promise<void> {
    while (!this.#output.includes(text)) {
      if (this.#over) throw new Error(`it ended without showing "${text}": ${this.#output}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #hear(change: () => void): void {
    change();
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

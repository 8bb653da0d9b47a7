import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addEnvironment, holdsSecret } from "../../src/secrets/environment-secrets.ts";
import { REDACTED, Secrets } from "../../src/secrets/secrets.ts";
import { StreamRedactor } from "../../src/secrets/stream-redactor.ts";

const secretOf = fc
  .string({ minLength: 8, maxLength: 40 })
  .filter((text) => text.trim().length >= 8 && !REDACTED.includes(text));

function registered(...texts: readonly string[]): Secrets {
  const secrets = new Secrets();
  for (const text of texts) secrets.add(text);
  return secrets;
}

describe("a registered secret", () => {
  test("is found as it is, and as JSON, addresses and base64 spell it", () => {
    const secret = 'pass "word"/ä+\\n';
    const secrets = registered(secret);
    for (const spelling of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      new URLSearchParams({ q: secret }).toString().slice(2),
      Buffer.from(secret).toString("base64"),
      Buffer.from(secret).toString("base64url"),
    ])
      expect(secrets.redact(`<${spelling}>`)).toMatch(/^<\[redacted\]=*>$/);
  });

  test("of several lines is found line by line", () => {
    const secrets = registered("-----BEGIN KEY-----\nabcdefghijklmnopqrstuv\n-----END KEY-----");
    expect(secrets.redact("  | abcdefghijklmnopqrstuv")).toBe(`  | ${REDACTED}`);
    expect(secrets.redact("-----BEGIN KEY-----")).toBe("-----BEGIN KEY-----");
  });

  test("is found in values and names of JSON; what holds none stays the same object", () => {
    const secrets = registered("12345678");
    expect(secrets.redactJson({ a: ["x12345678", 1], "12345678": null })).toEqual({
      a: [`x${REDACTED}`, 1],
      [REDACTED]: null,
    });
    const clean = { a: ["x"], b: { c: true } };
    expect(secrets.redactJson(clean)).toBe(clean);
  });

  test("of fewer than eight characters is not taken", () => {
    expect(registered("1234567", "        ").isEmpty).toBe(true);
  });

  // S40
  test("is in no text that comes in pieces, wherever they end; the rest is all there", () => {
    fc.assert(
      fc.property(
        fc.array(secretOf, { minLength: 1, maxLength: 3 }),
        fc.array(fc.oneof(fc.string(), fc.nat(2)), { maxLength: 12 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (given, parts, sizes) => {
          const secrets = registered(...given);
          const text = parts
            .map((part) => (typeof part === "number" ? given[part % given.length]! : part))
            .join("");
          const redactor = new StreamRedactor(secrets);
          let shown = "";
          for (let at = 0; at < text.length;) {
            const size = sizes.next().value;
            shown += redactor.take(text.slice(at, at + size));
            at += size;
          }
          expect(shown + redactor.end()).toBe(secrets.redact(text));
        },
      ),
    );
  });

  test("holds nothing back of a text that does not look like one", () => {
    const redactor = new StreamRedactor(registered("sk-ant-0123456789"));
    expect(redactor.take("hello s")).toBe("hello ");
    expect(redactor.take("unny")).toBe("sunny");
  });
});

describe("an environment", () => {
  test.each([
    ["ANTHROPIC_API_KEY", "sk-ant-0123456789"],
    ["GITHUB_TOKEN", "ghp_0123456789"],
    ["npm_config__authToken_SECRET", "abcdefgh1"],
    ["DB_PASSWORD", "correct horse"],
  ])("has a secret in %s", (name, value) => {
    const secrets = new Secrets();
    addEnvironment(secrets, { [name]: value });
    expect(secrets.redact(value)).toBe(`[redacted ${name}]`);
  });

  test("has one in an address with a password, and the address stays", () => {
    const secrets = new Secrets();
    addEnvironment(secrets, { DATABASE_URL: "postgres://me:s3cret-pass@host/db" });
    expect(secrets.redact("postgres://me:s3cret-pass@host/db")).toBe(
      "postgres://me:[redacted DATABASE_URL]@host/db",
    );
  });

  test("is kept from a program that gets the rest, however short it is", () => {
    const env = {
      PIN_TOKEN: "123a",
      STORE: "postgres://me:pw@host/db",
      DOOR_PASSPHRASE: "open",
      DISPLAY: ":0",
    };
    expect(Object.entries(env).filter(([name, value]) => !holdsSecret(name, value))).toEqual([
      ["DISPLAY", ":0"],
    ]);
  });

  test.each([
    ["GIT_AUTHOR_NAME", "Somebody Else"],
    ["SSH_KEY", "/home/me/.ssh/id_ed25519.pub"],
    ["KEYBOARD", "a long keyboard name"],
    ["MAX_TOKEN", "1000000000"],
    ["PATH", "/usr/bin:/usr/local/bin"],
    ["API_KEY", "short"],
  ])("has none in %s=%s", (name, value) => {
    const secrets = new Secrets();
    addEnvironment(secrets, { [name]: value });
    expect(secrets.isEmpty).toBe(true);
  });
});

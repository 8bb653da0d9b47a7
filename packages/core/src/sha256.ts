/** The part of node:crypto that hashing needs. */
interface NodeCrypto {
  /** In one go; from Node 20.12 on, and twice as fast for short texts. */
  readonly hash?: (algorithm: "sha256", data: string | Uint8Array, encoding: "hex") => string;
  createHash(algorithm: "sha256"): { update(data: string | Uint8Array): { digest(encoding: "hex"): string } };
}

/** Node's own hash where there is one; reached without an import, so that the entry runs anywhere. */
const nodeCrypto = (
  globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }
).process?.getBuiltinModule?.("node:crypto") as NodeCrypto | undefined;

/** The SHA-256 of a text (as UTF-8) or bytes, in lower-case hexadecimal. Synchronous on every platform. Source: FIPS 180-4. */
export function sha256(data: string | Uint8Array): string {
  if (nodeCrypto?.hash) return nodeCrypto.hash("sha256", data, "hex");
  if (nodeCrypto) return nodeCrypto.createHash("sha256").update(data).digest("hex");
  return portableSha256(typeof data === "string" ? new TextEncoder().encode(data) : data);
}

/** `sha256` without a platform's help; exported for its test alone. */
export function portableSha256(bytes: Uint8Array): string {
  const blocks = pad(bytes);
  const state = Uint32Array.from(firstBits(8, 2));
  for (let at = 0; at < blocks.byteLength; at += 64) compress(state, new DataView(blocks.buffer, at, 64));
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

function pad(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const tail = new DataView(padded.buffer, padded.length - 8);
  tail.setUint32(0, Math.floor(bytes.length / 0x2000_0000));
  tail.setUint32(4, (bytes.length << 3) >>> 0);
  return padded;
}

let roundConstants: Uint32Array | undefined;

function compress(state: Uint32Array, block: DataView): void {
  roundConstants ??= Uint32Array.from(firstBits(64, 3));
  const w = new Uint32Array(64);
  for (let i = 0; i < 16; i += 1) w[i] = block.getUint32(i * 4);
  for (let i = 16; i < 64; i += 1) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const small0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const small1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    w[i] = w[i - 16]! + small0 + w[i - 7]! + small1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let i = 0; i < 64; i += 1) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + roundConstants[i]! + w[i]!;
    const t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) >>> 0, c, b, a, (t1 + t2) >>> 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = state[i]! + word;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The first 32 bits of the fractional parts of the n-th roots of the first primes: the algorithm's constants. */
function firstBits(count: number, root: 2 | 3): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes.map((prime) => {
    const value = root === 2 ? Math.sqrt(prime) : Math.cbrt(prime);
    return Math.floor((value - Math.floor(value)) * 0x1_0000_0000);
  });
}

import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

/** A file as it is answered. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer<ArrayBuffer>;
  /** The same, compressed with gzip; undefined where that gains nothing. */
  readonly gzip?: Buffer<ArrayBuffer> | undefined;
}

/** Most bytes of all files of a page together. */
const MAX_BYTES = 8 * 1024 * 1024;

const types: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".ico", "image/x-icon"],
  [".woff2", "font/woff2"],
]);

/**
 * The files of a page by the path of their request, `/` being `index.html`. They are read once, at the start: afterwards
 * no path leads to a file. Without an `index.html` in the directory there is a page that says so.
 */
export function loadAssets(directory: string): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  let bytes = 0;
  for (const path of filesBelow(directory)) {
    const type = types.get(extname(path));
    if (type === undefined) continue;
    const content = Buffer.from(readFileSync(join(directory, path)));
    bytes += content.length;
    if (bytes > MAX_BYTES) throw new RangeError(`${directory} holds more than ${MAX_BYTES} bytes`);
    assets.set(`/${path}`, { type, bytes: content, gzip: compressed(type, content) });
  }
  const index = assets.get("/index.html") ?? { type: types.get(".html")!, bytes: Buffer.from(ALONE) };
  return assets.set("/", index);
}

/** Text is compressed once, at the start: nothing that a caller sent is ever in it. */
function compressed(type: string, bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> | undefined {
  if (!/^text\/|json$|svg/.test(type)) return undefined;
  const gzip = gzipSync(bytes, { level: 9 });
  return gzip.length < bytes.length ? gzip : undefined;
}

/** Regular files alone, with `/` between their names. */
function filesBelow(directory: string): readonly string[] {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile()) return [entry.name];
    if (!entry.isDirectory()) return [];
    return filesBelow(join(directory, entry.name)).map((path) => `${entry.name}/${path}`);
  });
}

const ALONE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>basis</title>
<h1>basis</h1>
<p>This server answers programs. It has no page to look at yet.</p>
<ul>
<li><code>POST /rpc</code> takes JSON-RPC 2.0 calls.</li>
<li><code>GET /events</code> streams events.</li>
<li><code>GET /healthz</code> tells that it runs.</li>
</ul>
<p>The first two need the token that stands behind <code>#token=</code> in the address it printed,
as <code>Authorization: Bearer TOKEN</code>. SERVER.md of the package tells the rest.</p>
</html>
`;

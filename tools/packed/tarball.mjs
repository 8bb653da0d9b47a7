// Tarballs as a registry would get them: packed by pnpm (which replaces `workspace:` ranges), read without unpacking.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";

/** Packs one package into `destination`. @returns {string} the tarball's path. */
export function packPackage(workspace, pack, destination) {
  const { packageManager } = JSON.parse(workspace.read("package.json"));
  const packed = spawnSync("npx", ["--yes", packageManager, "pack", "--pack-destination", destination], {
    cwd: join(workspace.root, pack.dir),
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const path = packed.stdout?.trim().split("\n").at(-1) ?? "";
  if (packed.status !== 0 || !path.endsWith(".tgz"))
    throw new Error(
      `${pack.name} could not be packed: ${packed.stderr || packed.stdout || packed.error?.message}`,
    );
  return path;
}

/** @returns {{ packedBytes: number, installedBytes: number, files: { path: string, content: Buffer }[] }} */
export function readTarball(path) {
  const files = tarFiles(gunzipSync(readFileSync(path)));
  return {
    packedBytes: statSync(path).size,
    installedBytes: files.reduce((sum, file) => sum + file.content.length, 0),
    files,
  };
}

/**
 * Packs packages and lays them out as an install would: `project/node_modules/NAME`.
 * @returns {Map<string, number>} package name → installed bytes.
 */
export function installPacked(workspace, packages, project) {
  return new Map(
    packages.map((pack) => {
      const { files, installedBytes } = readTarball(packPackage(workspace, pack, project));
      for (const { path, content } of files) {
        const target = join(project, "node_modules", pack.name, path);
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, content);
      }
      return [pack.name, installedBytes];
    }),
  );
}

/** The regular files of a tar archive, without the leading `package/`. Source: POSIX ustar. */
function tarFiles(archive) {
  const files = [];
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0;) {
    const field = (from, length) =>
      archive.toString("utf8", at + from, at + from + length).replace(/\0.*$/s, "");
    const bytes = Number.parseInt(field(124, 12), 8);
    const start = at + 512;
    const name = [field(345, 155), field(0, 100)]
      .filter(Boolean)
      .join("/")
      .replace(/^package\//, "");
    if (["0", ""].includes(field(156, 1)))
      files.push({ path: name, content: archive.subarray(start, start + bytes) });
    at = start + Math.ceil(bytes / 512) * 512;
  }
  return files;
}

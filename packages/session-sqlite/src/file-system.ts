import type * as FileSystem from "node:fs";
import type * as Path from "node:path";

const fs = (): typeof FileSystem => process.getBuiltinModule("node:fs");
const path = (): typeof Path => process.getBuiltinModule("node:path");

/**
 * File systems on which a shared-memory WAL is not safe, by the number that statfs gives. FUSE is among them:
 * it stands for sshfs and cloud drives as well as for local disks, and nothing tells them apart.
 * Source: Linux, include/uapi/linux/magic.h and statfs(2); https://sqlite.org/wal.html ("All processes using a
 * database must be on the same host computer; WAL does not work over a network filesystem").
 */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x01021997, "9P"],
  [0x65735546, "FUSE"],
  [0x73757245, "Coda"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x564c, "NCP"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x19830326, "BeeGFS"],
  [0x786f4256, "VirtualBox shared folder"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
]);

/** Local file systems by their statfs number, for those who read it. */
const localFileSystems: ReadonlyMap<number, string> = new Map([
  [0xef53, "ext4"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0x2fc12fc1, "zfs"],
  [0xf2f52010, "f2fs"],
  [0x01021994, "tmpfs"],
  [0x794c7630, "overlay"],
]);

/** The name of a network file system, by its statfs number; undefined for a local one. */
export function networkFileSystem(type: number): string | undefined {
  return networkFileSystems.get(type >>> 0);
}

/** The file system that a file is or would be on, found at the nearest directory that exists; undefined where the platform does not tell. */
export function fileSystemOf(
  file: string,
): { readonly name: string; readonly isNetwork: boolean } | undefined {
  if (process.platform !== "linux") return undefined;
  let directory = path().dirname(file);
  while (!fs().existsSync(directory) && path().dirname(directory) !== directory)
    directory = path().dirname(directory);
  const type = fs().statfsSync(directory).type >>> 0;
  const network = networkFileSystem(type);
  return {
    name: network ?? localFileSystems.get(type) ?? `0x${type.toString(16)}`,
    isNetwork: network !== undefined,
  };
}

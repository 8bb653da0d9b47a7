const reasons: Readonly<Record<string, string>> = {
  EACCES: "you may not write there",
  EDQUOT: "there is no room left",
  EEXIST: "something else has its place",
  EIO: "its disk fails",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "its directory does not exist",
  ENOSPC: "there is no room left",
  ENOTDIR: "its path runs through a file",
  EPERM: "you may not write there",
  EROFS: "its file system is read-only",
};

/** Why the system refused to write something, in words. */
export function whyNotWritten(error: unknown): string {
  const { code = "", message = String(error) } = Object(error) as Partial<NodeJS.ErrnoException>;
  return Object.hasOwn(reasons, code) ? reasons[code]! : message;
}

/** True for what the system itself refused. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}

/** The systems that settings have lines of their own for, by VS Code's names. */
export type Platform = "linux" | "osx" | "windows";

export const PLATFORMS: readonly Platform[] = ["linux", "osx", "windows"];

/** That of this process; `linux` where there is none, and for its like. */
export function ownPlatform(): Platform {
  const { process } = globalThis as { readonly process?: { readonly platform?: string } };
  if (process?.platform === "darwin") return "osx";
  return process?.platform === "win32" ? "windows" : "linux";
}

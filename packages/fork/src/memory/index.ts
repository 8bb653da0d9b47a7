export { memoryIdentityAuthority, type MemoryIdentityAuthority } from "./identity-authority.ts";

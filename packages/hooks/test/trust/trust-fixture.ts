import { join } from "node:path";
import { inspectTrust, trustWorkspace, type WorkspaceTrustReport } from "../../src/trust/index.ts";
import { makeFixture, type Fixture } from "../node/workspace-fixture.ts";

/** A fixture with a record of trust beside the workspace. */
export interface TrustFixture extends Fixture {
  readonly trustFile: string;
  readonly env: Readonly<Record<string, string>>;
  /** Trusts the workspace as it is; unpinned code only when told. */
  trust(allowUnpinned?: boolean): Promise<WorkspaceTrustReport>;
  inspect(): Promise<WorkspaceTrustReport>;
}

/** Makes the directories of a test. */
export async function makeTrustFixture(): Promise<TrustFixture> {
  const fixture = await makeFixture();
  const trustFile = join(fixture.root, "state", "trust.json");
  const env = { PATH: "/usr/bin:/bin" };
  const where = { workspace: fixture.workspace, trustFile, env };
  return {
    ...fixture,
    trustFile,
    env,
    trust: (allowUnpinned = false) => trustWorkspace({ ...where, allowUnpinned }),
    inspect: () => inspectTrust(where),
    open: (options = {}) => fixture.open({ trustFile, env, ...options }),
  };
}

/** A script for Node that answers a decision. */
export function answering(decision: object): string {
  return `process.stdin.resume(); console.log(${JSON.stringify(JSON.stringify(decision))});\n`;
}

// The broken guards once more, started without a launcher.
import { withoutLauncher } from "../node/workspace-fixture.ts";

withoutLauncher();
await import("./one-shot.spawn.test.ts");

// The suites of everything that starts programs, once more without a launcher.
import { withoutLauncher } from "./workspace-fixture.ts";

withoutLauncher();
await import("./command-hook.spawn.test.ts");
await import("./command-failure.spawn.test.ts");
await import("./command-deadline.spawn.test.ts");
await import("./worker-hook.spawn.test.ts");
await import("./worker-attack.spawn.test.ts");
await import("../trust/trusted-worker.spawn.test.ts");

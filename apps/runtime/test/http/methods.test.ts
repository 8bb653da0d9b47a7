import { connectBy } from "../rpc/support/client.ts";
import { HttpClient } from "./support/http-client.ts";

// The same suites as over two streams: every method answers the same.
connectBy((host) => new HttpClient(host));
await import("../rpc/every-method.test.ts");
await import("../rpc/runs.test.ts");
await import("../rpc/outputs.test.ts");
await import("../rpc/approvals.test.ts");
await import("../rpc/forks.test.ts");
await import("../rpc/one-shot-member.test.ts");

// A guard with a bug: it dies before it answers. The call it guards is therefore denied.
import { readRequest } from "./read-request.mjs";

const { input } = await readRequest();
throw new Error(`no rule for ${input.path.missing.field}`);

import type { ModelMessage } from "@mobkit/session";
import type { Provisioned, Provisioner, ProvisionRequest } from "../../src/index.ts";
import { isAnyoneAsking } from "./watched-store.ts";

/** A provisioner that seats everybody, and keeps what it was asked. */
export interface RecordingProvisioner extends Provisioner<ModelMessage> {
  readonly requests: ProvisionRequest<ModelMessage>[];
  readonly signals: AbortSignal[];
  readonly tornDown: { readonly operationId: string; readonly sessionId: string; readonly epoch: number }[];
}

/** What happens in `provision`; the default answers `{}`. */
export type Build = (request: ProvisionRequest<ModelMessage>, signal: AbortSignal) => Promise<Provisioned>;

export function recordingProvisioner(build: Build = async () => ({})): RecordingProvisioner {
  const requests: ProvisionRequest<ModelMessage>[] = [];
  const signals: AbortSignal[] = [];
  const tornDown: { operationId: string; sessionId: string; epoch: number }[] = [];
  return {
    requests,
    signals,
    tornDown,
    async provision(request, { signal }) {
      requests.push(request);
      signals.push(signal);
      return build(request, signal);
    },
    async tearDown(built) {
      tornDown.push(built);
    },
    hasRole: (role) => role !== "nobody",
  };
}

/** Fails the first `times` builds. */
export function failing(times: number): Build {
  let left = times;
  return async () => {
    left -= 1;
    if (left >= 0) throw new Error("the host is full");
    return {};
  };
}

/** A gate that lets what waits at it through once opened. */
export interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

/** Waits until everything that can run without time has run, and no store is asked anything any more. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isAnyoneAsking()) turn = 0;
  }
}

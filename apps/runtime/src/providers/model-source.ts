import { resolve } from "node:path";
import { formatModelRef, parseModelRef, type ModelRef } from "@basis/core";
import type { Model } from "./model.ts";
import { ModelError } from "./model-error.ts";
import { openModel, type OpenModelOptions } from "./open-model.ts";
import { CASSETTE, SCRIPTED } from "./played-model.ts";
import { isKnownProvider, planProvider } from "./provider-settings.ts";
import { readScript, type Script } from "./scripted-file.ts";
import { scriptedModel } from "./scripted-model.ts";
import { addEnvironment } from "../secrets/environment-secrets.ts";
import { secrets } from "../secrets/secrets.ts";

/** Where a process gets its models from: the one it was started with, and those that delegations name. */
export interface ModelSource {
  /** The model the process was started with. */
  readonly main: Model;
  /** The model of that name, opened once. @throws ModelError with a set-up code; nothing is sent. */
  open(ref: ModelRef): Model;
  /** Whether a provider is registered; its key may still be missing. */
  isRegistered(provider: string): boolean;
}

/** How a source is opened. */
export interface ModelSourceOptions extends OpenModelOptions {
  /** The directory that a scripted file's path starts from. Default: the process's own. */
  readonly cwd?: string;
  readonly signal?: AbortSignal;
}

/**
 * Opens the models of a process. `name` is `provider/id`, or `scripted:FILE` or `cassette:FILE`: then every model is
 * played from that file under its own name, so that a miss can't fall through to a live call.
 *
 * @throws ModelError: `scripted_file`, `cassette_file`, or one of the codes of `planProvider`.
 */
export async function openModelSource(name: string, options: ModelSourceOptions = {}): Promise<ModelSource> {
  const { cwd = process.cwd(), signal, ...live } = options;
  if (name.startsWith(SCRIPTED)) {
    const file = name.slice(SCRIPTED.length);
    if (file === "") {
      throw new ModelError("invalid_model", "scripted: names no file", { details: { model: name } });
    }
    const script = await readScript(resolve(cwd, file), signal === undefined ? {} : { signal });
    return scriptedSource({ ...script, file }, live);
  }
  if (name.startsWith(CASSETTE)) {
    const file = name.slice(CASSETTE.length);
    if (file === "") {
      throw new ModelError("invalid_model", "cassette: names no file", { details: { model: name } });
    }
    const { readCassette } = await import("./cassette/read-cassette.ts");
    const { cassetteSource } = await import("./cassette/cassette-source.ts");
    const cassette = await readCassette(resolve(cwd, file), signal);
    addEnvironment(secrets, live.env ?? process.env);
    return cassetteSource({ ...cassette, file }, secrets);
  }
  return liveSource(name, live);
}

function scriptedSource(script: Script, options: OpenModelOptions): ModelSource {
  const main = scriptedModel(script);
  return Object.freeze({
    main,
    open: opener((ref) => scriptedModel(script, { ref })),
    isRegistered: (provider: string) => provider === "scripted" || isKnownProvider(provider, options),
  });
}

function liveSource(name: string, options: OpenModelOptions): ModelSource {
  const { ref } = planProvider(name, options);
  const main = openModel(name, options);
  const open = opener((other) => openModel(formatModelRef(other), { ...options, contextWindow: undefined }));
  const isMain = (other: ModelRef): boolean => formatModelRef(other) === formatModelRef(ref);
  return Object.freeze({
    main,
    open: (other: ModelRef) => (isMain(other) ? main : open(other)),
    isRegistered: (provider: string) => isKnownProvider(provider, options),
  });
}

function opener(make: (ref: ModelRef) => Model): (ref: ModelRef) => Model {
  const opened = new Map<string, Model>();
  return (ref) => {
    const name = formatModelRef(ref);
    const known = opened.get(name);
    if (known !== undefined) return known;
    if (parseModelRef(name) === undefined) {
      throw new ModelError("invalid_model", `"${name}" is no model; write provider/model`, {
        details: { model: name },
      });
    }
    const model = make(ref);
    opened.set(name, model);
    return model;
  };
}

/** One server and its data. Without `durable` it never syncs: fast, and good for everything but kills. */
export declare class PostgresServer {
  static start(options?: {
    durable?: boolean;
    accessRules?: string[];
    under?: string;
  }): Promise<PostgresServer>;
  readonly port: number;
  readonly url: string;
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * A message as it is handed to its framework: of the type that the host gave its store; else, where the store knows the
 * `Loose` type alone, of any, since only the framework can name its own.
 */
export type FrameworkMessage<Message, Loose> = Loose extends Message ? any : Message;

/** A channel to another process. Electron's utility process and Node's child process both hide behind it. */
export interface Port {
  post(message: unknown): void;
  onMessage(handler: (message: unknown) => void): void;
  close(): void;
}

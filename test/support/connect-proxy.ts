import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy on this machine. Whatever name is asked for, it connects to this machine. */
export class ConnectProxy {
  /** `host:port` of each connection that was asked for. */
  readonly asked: string[] = [];
  readonly logins: (string | undefined)[] = [];
  /** Instead of connecting: an answer of its own, silence, or the end of the connection. */
  instead: number | 'silence' | 'cut' | undefined;
  onAsked: () => void = () => undefined;
  readonly #server: Server = createServer((_request, response) => response.writeHead(400).end());
  readonly #sockets = new Set<Socket>();

  static async start(): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    proxy.#server.on('connect', (request, client) => proxy.#connect(request, client as Socket));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #connect(request: IncomingMessage, client: Socket): void {
    this.#keep(client);
    this.asked.push(request.url ?? '');
    this.logins.push(request.headers['proxy-authorization']?.toString());
    this.onAsked();
    if (this.instead === 'silence') return;
    if (this.instead === 'cut') return void client.destroy();
    if (this.instead !== undefined) return void client.end(`HTTP/1.1 ${this.instead} No\r\nContent-Length: 0\r\n\r\n`);
    const port = Number(request.url?.split(':').at(-1));
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    this.#keep(target);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

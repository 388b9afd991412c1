import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ServerConfig } from '../../config/server.config.js';

@Injectable()
export class ConsoleAddress {
  constructor(
    private readonly server: ServerConfig,
    private readonly http: HttpAdapterHost,
  ) {}

  ofThread(threadId: string): string {
    return `${this.origin}/console/threads/${encodeURIComponent(threadId.toWellFormed())}`;
  }

  get ofAgents(): string {
    return `${this.origin}/console/agents`;
  }

  private get origin(): string {
    const { publicUrl, host, port } = this.server;
    if (publicUrl !== null) return publicUrl;
    const isForAll = host === '0.0.0.0' || host === '::';
    const name = isForAll ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
    const listening = (this.http.httpAdapter.getHttpServer() as { address(): AddressInfo | null }).address();
    return `http://${name}:${listening?.port ?? port}`;
  }
}

/**
 * The dashboards of `dashboards.ts` by NestJS: `gateway`, on the faster of its two HTTP platforms, or the NATS microservice behind it. Node
 * runs these files as they stand, without decorators, so they are called as the functions that they are.
 */
import 'reflect-metadata';
import { createHash } from 'node:crypto';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Inject,
  Module,
  Req,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type ClientProxy, ClientsModule, MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { createLocalJWKSet } from 'jose';
import { paceNow, sayReady } from './dashboard-pace.ts';
import { createViews } from './dashboard-views.ts';
import { tokenCheck } from './token-check.ts';

const { BENCH_NATS_URL, BENCH_JWK, BENCH_ISSUER, BENCH_PORT } = process.env;
const nats = { transport: Transport.NATS as const, options: { servers: [String(BENCH_NATS_URL)] } };

type Asked = FastifyRequest<{ Params: { vault_address: string } }> & { wallet?: string };
type View = 'list' | 'detail' | 'overview';

/** Decorates a method, and its only parameter. */
function decorate<T extends object>(prototype: T, name: View, method: MethodDecorator, parameter: ParameterDecorator) {
  parameter(prototype, name, 0);
  method(prototype, name, Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor);
}

async function startGateway(): Promise<void> {
  const check = tokenCheck(createLocalJWKSet({ keys: [JSON.parse(String(BENCH_JWK))] }), String(BENCH_ISSUER));
  class TokenGuard implements CanActivate {
    async canActivate(context: ExecutionContext): Promise<boolean> {
      const request = context.switchToHttp().getRequest<Asked>();
      const payload = await check(request.headers.authorization).catch(() => undefined);
      request.wallet = String(payload?.wallet_address);
      return payload !== undefined;
    }
  }
  class Dashboards {
    readonly services: ClientProxy;
    constructor(services: ClientProxy) {
      this.services = services;
    }
    list({ wallet }: Asked) {
      return this.services.send('list', { wallet });
    }
    detail({ params }: Asked) {
      return this.services.send('detail', params);
    }
    overview({ params }: Asked) {
      return this.services.send('overview', params);
    }
  }
  const vault = 'vaults/:chain_id/:vault_address';
  decorate(Dashboards.prototype, 'list', Get('vaults'), Req());
  decorate(Dashboards.prototype, 'detail', Get(vault), Req());
  decorate(Dashboards.prototype, 'overview', Get(`${vault}/analytics/overview`), Req());
  Inject('SERVICES')(Dashboards, undefined, 0);
  UseGuards(TokenGuard)(Dashboards);
  Controller('api/v1')(Dashboards);
  class Gateway {}
  Module({
    imports: [ClientsModule.register([{ name: 'SERVICES', ...nats }])],
    controllers: [Dashboards],
    providers: [TokenGuard],
  })(Gateway);
  const app = await NestFactory.create<NestFastifyApplication>(Gateway, new FastifyAdapter(), { logger: false });
  // Its platform for Express has entity tags of itself: the same hash.
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onSend', async ({ headers }, reply, payload) => {
      if (typeof payload !== 'string') return payload;
      const etag = `"${createHash('sha1').update(payload).digest('base64')}"`;
      reply.header('etag', etag);
      if (headers['if-none-match'] !== etag) return payload;
      reply.code(304);
      return null;
    });
  await app.listen(Number(BENCH_PORT), '127.0.0.1');
}

async function startService(): Promise<void> {
  const views = createViews(paceNow);
  class Answers {
    list({ wallet }: { wallet: string }) {
      return views.list(wallet);
    }
    detail({ vault_address }: { vault_address: string }) {
      return views.detail(vault_address);
    }
    overview({ vault_address }: { vault_address: string }) {
      return views.overview(vault_address);
    }
  }
  for (const view of ['list', 'detail', 'overview'] as const)
    decorate(Answers.prototype, view, MessagePattern(view), Payload());
  Controller()(Answers);
  class Service {}
  Module({ controllers: [Answers] })(Service);
  const service = await NestFactory.createMicroservice(Service, { ...nats, logger: false });
  await service.listen();
}

await (process.argv[2] === 'gateway' ? startGateway() : startService());
sayReady();

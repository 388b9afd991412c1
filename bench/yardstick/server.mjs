// The yardstick: plain Nest on Express that reads the same bodies, responds, and does nothing else.
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { Controller, Get, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';

const { values } = parseArgs({ options: { 'response-bytes': { type: 'string', default: '0' } } });
const SAVED = Buffer.from('{"saved":1,"rejected":[]}');
const LATEST = Buffer.alloc(Number(values['response-bytes']), 'x');

class YardstickController {
  record(request, response) {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      Buffer.concat(chunks);
      answer(response, SAVED);
    });
  }

  latest(response) {
    answer(response, LATEST);
  }

  health(response) {
    answer(response, SAVED);
  }
}

class YardstickModule {}

function answer(response, body) {
  response.statusCode = 200;
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Content-Length', body.length);
  response.end(body);
}

/** Decorators as functions: this file runs without a build step. */
function route(method, decorator, parameters) {
  const { prototype } = YardstickController;
  parameters.forEach((parameter, index) => parameter(prototype, method, index));
  decorator(prototype, method, Object.getOwnPropertyDescriptor(prototype, method));
}

route('record', Post('internal/v1/runners/events'), [Req(), Res()]);
route('latest', Get('v1/runners/threads/:thread_id/latest'), [Res()]);
route('health', Get('health'), [Res()]);
Controller()(YardstickController);
Module({ controllers: [YardstickController] })(YardstickModule);

const app = await NestFactory.create(YardstickModule, new ExpressAdapter(), { bodyParser: false, logger: false });
app.disable('x-powered-by');
app.disable('etag');
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
await app.listen(Number(process.env.WAYSTATION_PORT), '127.0.0.1');

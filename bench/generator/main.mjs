// The load generator's process: takes one order at a time from the benchmark and returns the figures.
import { Load } from './load.mjs';
import { Requests } from './requests.mjs';

process.on('message', async (order) => {
  try {
    const { createJob } = await import(`../jobs/${order.job}.mjs`);
    const job = createJob(order.params, new Requests(order.server));
    const load = new Load(job, { port: order.server.port, ...order.options });
    process.send({ result: await load.run() });
  } catch (error) {
    process.send({ error: error.stack ?? String(error) });
  }
});

// Ctrl-C reaches the whole process group; the benchmark decides when the generator ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));

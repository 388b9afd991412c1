export default {
  test: {
    globals: true,
    include: ['test/*.suite.mjs'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
};

export default {
  test: {
    globals: true,
    include: ['test/*.test.mjs'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
};

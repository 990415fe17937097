// The options of V8 for test processes, which run for a minute and start and stop many servers. As two cores run four of
// them, work on other threads is not free.

/** V8's default is about 66,000. */
const BYTES_OF_CODE_RUN_BEFORE_OPTIMIZING = 1_000_000

export function engineOptions() {
  return [
    // With the default young generation, a sixth of the time is collecting garbage.
    '--min-semi-space-size=32',
    '--max-semi-space-size=64',
    '--single-threaded-gc',
    // The next file runs the same functions again.
    '--no-flush-bytecode',
    // Most functions do not run often enough for what their optimization costs. Later versions have a cheaper compiler
    // between the two, and no such option.
    ...(majorVersion() < 22 ? [`--interrupt-budget=${BYTES_OF_CODE_RUN_BEFORE_OPTIMIZING}`] : []),
  ]
}

function majorVersion() {
  return Number.parseInt(process.versions.node, 10)
}

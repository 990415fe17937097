/** A fuzz run: the same seed gives the same run; `FUZZ_RUNS` multiplies its length. */
export const SEED = Number(process.env.FUZZ_SEED ?? 20_260)
export const LENGTH = Number(process.env.FUZZ_RUNS ?? 1)

/** The response time limit. */
export const TIMEOUT_MS = 5_000

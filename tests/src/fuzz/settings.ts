import { rounds } from '../support/length.js'

/** A fuzz run: the same seed gives the same run; `FUZZ_RUNS` multiplies its length. */
export const SEED = Number(process.env.FUZZ_SEED ?? 20_260)
export const LENGTH = rounds('FUZZ_RUNS', { few: 0.3, many: 1 })

/** The limit of the CPU time of a response. */
export const MAX_CPU_MS = 5_000

/** How long to wait for a response, also on a busy machine. */
export const TIMEOUT_MS = 60_000

import { runAdapter } from '@orrery/hyperfleet'
import { connect, messageOf, runJob } from './job.js'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

/** Without arguments, the program is the job of an adapter; with arguments, an adapter that files describe. */
async function main(args: readonly string[]): Promise<number> {
  if (args.length > 0) {
    return runAdapter(args, {
      write: (text) => process.stdout.write(text),
      writeError: (text) => process.stderr.write(text),
      environment: process.env,
      signal: stop.signal,
    })
  }
  try {
    const client = connect(process.env)
    try {
      const { conditions } = await runJob(client, process.env, stop.signal)
      for (const { type, status, reason } of conditions) console.log(`${type}=${status} ${reason}`)
      return 0
    } finally {
      await client.close()
    }
  } catch (error) {
    console.error(`error: ${messageOf(error as Error, process.env)}`)
    return 1
  }
}

process.exitCode = await main(process.argv.slice(2))

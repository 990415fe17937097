import { randomInt } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@orrery/kube/testing'
import { Client } from '../support/client.js'
import { rounds } from '../support/length.js'
import { startServer, temporaryDirectory } from '../support/server.js'
import { http1Streams } from '../support/streams.js'
import { Churn } from './churn.js'
import { tearTail } from './data-file.js'
import { Ledger } from './ledger.js'
import { Load, prepareLoad } from './load.js'
import { Witness } from './witness.js'

/** Hundreds take minutes: `ORRERY_KILLS=300`. */
const KILLS = rounds('ORRERY_KILLS', { few: 3, many: 12 })
/** How often to wait for the controllers. Otherwise they too are interrupted each time. */
const FINISH_EVERY = 5
/** The maximum of acknowledged writes before a kill. */
const MAX_WRITES = 150

/** Runs load and kills the server at a random moment, repeatedly; checks everything after every start. */
async function killAgainAndAgain(t: TestContext, kills: number, afterKill: (directory: string) => void): Promise<void> {
  const dataDirectory = await temporaryDirectory(t)
  const ledger = new Ledger()
  const load = new Load(ledger)
  const churn = new Churn()
  let witness: Witness | undefined
  for (let round = 0; round <= kills; round++) {
    const server = await startServer(t, { dataDirectory, arguments: ['--namespace-deletion-grace', '0'] })
    const client = new Client(server)
    const streams = http1Streams(server)
    t.after(() => client.close())
    t.after(() => streams.close())
    if (round === 0) await prepareLoad(client, ledger)
    await ledger.check(client)
    ledger.restarted()
    await load.checkCounter(client)
    witness ??= startWitness(t, ledger.highest)
    witness.connect(streams)
    const last = round === kills
    if (last || round % FINISH_EVERY === 0) {
      await churn.finish(client)
      await witness.check(client, ledger)
    }
    if (!last) {
      let stopped = false
      const work = Promise.all([load.run(client, () => stopped), churn.run(client, () => stopped)])
      const moment = ledger.acknowledged.length + randomInt(MAX_WRITES)
      await Promise.race([eventually('enough is written', () => ledger.acknowledged.length >= moment), work])
      await delay(randomInt(5))
      await server.stop('SIGKILL')
      stopped = true
      await work
      witness.connect(undefined)
      witness.report(ledger)
      afterKill(dataDirectory)
    }
    client.close()
    streams.close()
  }
  const { acknowledged, deletions, landed, vanished } = ledger
  t.diagnostic(
    `${kills} kills, ${acknowledged.length + deletions} acknowledged writes, ${load.increments} increments; ` +
      `of the writes on their way ${landed} landed and ${vanished} did not; ${witness?.events} events`,
  )
}

function startWitness(t: TestContext, since: number): Witness {
  const witness = new Witness(since)
  t.after(() => witness.stop())
  return witness
}

test('durability: a server killed at any moment keeps all acknowledged writes and no partial ones', async (t) => {
  await killAgainAndAgain(t, KILLS, () => undefined)
})

test('durability: a torn write at the end of the file loses no acknowledged write', async (t) => {
  const ways = ['cut', 'garbage', 'zeros'] as const
  let turn = 0
  await killAgainAndAgain(t, Math.ceil(KILLS / 3), (directory) =>
    tearTail(directory, ways[turn++ % ways.length] as 'cut'),
  )
})

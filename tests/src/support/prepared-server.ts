import { rmSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addOnConverters, hubCrds, spokeCrds } from '@orrery/api'
import { type ApiServer, type ApiServerOptions, startApiServer } from '@orrery/apiserver'
import { installHub } from '@orrery/hub'
import type { KubeClient } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { FakeClock } from '@orrery/kube/testing'
import { ensureCrds } from '@orrery/kube/write'
import { installOvim } from '@orrery/ovim/hub'

const fieldManager = 'tests'

/** What the store of a server contains at its start. */
const CONTENTS = {
  hub: async (client: KubeClient) => {
    await installHub(client)
  },
  ovim: async (client: KubeClient) => {
    await installHub(client)
    await installOvim(client)
  },
  works: (client: KubeClient) => {
    const works = hubCrds().filter(({ metadata }) => metadata.name?.startsWith('manifestworks.'))
    return ensureCrds(client, works, { fieldManager })
  },
  spoke: (client: KubeClient) => ensureCrds(client, spokeCrds(), { fieldManager }),
}

type Content = keyof typeof CONTENTS

const prepared = new Map<string, Promise<string>>()

/**
 * Starts a server on a copy of a data directory that is prepared once in this process: creating the first objects of
 * a cluster and installing CRDs takes longer than most tests. The servers have the same keys and the same uids.
 */
export async function startPreparedServer(content: Content, options: ApiServerOptions = {}): Promise<ApiServer> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'orrery-test-'))
  const remove = () => rm(dataDirectory, { recursive: true, force: true })
  try {
    await copyPrepared(content, options.clock ?? systemClock, dataDirectory)
    const server = await startApiServer({ ...options, dataDirectory })
    return {
      ...server,
      async close() {
        await server.close()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Fills a new data directory. */
export async function copyPrepared(content: Content, clock: Clock, dataDirectory: string): Promise<void> {
  const now = clock.now()
  // Certificates and creation times depend on the time.
  const key = `${content} ${now.toISOString().slice(0, 10)}`
  const directory = prepared.get(key) ?? prepare(content, now)
  prepared.set(key, directory)
  await cp(await directory, dataDirectory, { recursive: true })
}

async function prepare(content: Content, now: Date): Promise<string> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'orrery-prepared-'))
  process.once('exit', () => rmSync(dataDirectory, { recursive: true, force: true }))
  const clock = new FakeClock(now)
  const server = await startApiServer({ host: false, clock, converters: addOnConverters, dataDirectory })
  await CONTENTS[content](server.client())
  await server.close()
  return dataDirectory
}

import { isNotFound } from '@orrery/kinds/values'
import { maestroWorkClient } from '@orrery/maestro'
import { afterwards } from '../../support/server.js'
import type { StartSource } from './transports.js'
import type { SeenEvent } from './work-story.js'

/** Orrery's SDK as the source. */
export const startOrrerySource: StartSource = async (t, { rest, sources }, consumer) => {
  const client = maestroWorkClient({ apiUrl: rest, grpcUrl: sources, sourceId: 'interop' })
  afterwards(t, () => client.close())
  const works = client.manifestWorks(consumer)
  return {
    isNotFound,
    get: (name) => works.get(name),
    create: (work) => works.create(work),
    patch: (name, patch) => works.patch(name, patch),
    delete: (name) => works.delete(name),
    async watch() {
      const events: SeenEvent[] = []
      const watch = works.watch()
      const follow = async () => {
        for await (const { type, object } of watch) events.push({ type, work: object })
      }
      void follow()
      return events
    },
  }
}

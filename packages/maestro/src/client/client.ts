import { connect } from '@orrery/kube/transport'
import { GrpcChannel } from '../transport/grpc-channel.js'
import { Consumers } from './consumers.js'
import { EverySource } from './every-source.js'
import { type MaestroClientOptions, resolveOptions } from './options.js'
import { WorkPublisher } from './publisher.js'
import { RestApi } from './rest-api.js'
import { StoredWorks } from './stored-works.js'
import { checkConsumer } from './validation.js'
import { WorkFeed } from './watch/feed.js'
import { AllManifestWorks, ManifestWorks, type WorkTools } from './works.js'

/** A client of a Maestro server for one source. */
export interface MaestroWorkClient {
  /** The works of the source on one consumer. Without a consumer: on all, to list and to watch. */
  manifestWorks(consumer: string): ManifestWorks
  manifestWorks(): AllManifestWorks
  /** The works of all sources. */
  readonly everySource: EverySource
  readonly consumers: Consumers
  /** Ends all watches and requests, and closes the connections. */
  close(): Promise<void>
}

/**
 * Connects to a Maestro server. Nothing is read or opened before the first request. Requests that fail because the server is
 * unreachable, too slow or too busy are repeated with exponential backoff; all others throw `StatusError` at once. Throws
 * `RangeError` for options that are not valid.
 */
export function maestroWorkClient(options: MaestroClientOptions): MaestroWorkClient {
  const { sourceId: source, api, grpc, retry, requestMilliseconds, ...watching } = resolveOptions(options)
  const channel = new GrpcChannel(grpc)
  const { clock, log } = watching
  const transport = connect(api, { retry: false, answerTimeout: requestMilliseconds, clock, log })
  const rest = new RestApi(transport, retry, requestMilliseconds)
  const stored = new StoredWorks(rest, source)
  const feed = new WorkFeed({ channel, stored, source, ...watching })
  const tools: WorkTools = { source, stored, feed, publisher: new WorkPublisher(channel, source, retry) }

  function manifestWorks(consumer: string): ManifestWorks
  function manifestWorks(): AllManifestWorks
  function manifestWorks(consumer?: string): AllManifestWorks {
    if (consumer === undefined) return new AllManifestWorks(tools)
    checkConsumer(consumer)
    return new ManifestWorks(tools, consumer)
  }

  return {
    manifestWorks,
    everySource: new EverySource(new StoredWorks(rest, undefined), source),
    consumers: new Consumers(rest),
    async close() {
      await feed.close()
      rest.close()
      await channel.close()
    },
  }
}

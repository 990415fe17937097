import type { Logger } from '@orrery/kube/log'
import type { Database } from '../store/database.js'

/** A source or an agent has to resync, and its subscription is not at the instance that it asked. */
export interface ResyncMessage {
  readonly kind: 'resync'
  readonly port: 'sources' | 'agents'
  /** The name of the source, or of the consumer. */
  readonly subject: string
  /** The hashes or versions that it knows, by bundle id. */
  readonly known: readonly (readonly [id: string, value: string | number])[]
}

/** What an instance tells the others. */
export type InstanceMessage = ResyncMessage | { readonly kind: 'consumerDeleted'; readonly name: string }

export interface InstanceMessages {
  send(message: InstanceMessage): Promise<void>
  close(): Promise<void>
}

export interface InstanceMessagesOptions {
  readonly database: Database
  /** The id of this instance: it does not receive its own messages. */
  readonly instance: string
  readonly onMessage: (message: InstanceMessage) => void
  readonly log: Logger
}

const CHANNEL = 'maestro_messages'
/** A message that is older has no use: the client has asked again. */
const KEPT = '1 minute'

const SEND = `with old as (delete from instance_messages where sent_at < now() - interval '${KEPT}'),
sent as (insert into instance_messages (sender, message) values ($1, $2::json) returning id)
select pg_notify('${CHANNEL}', $1 || ' ' || id) from sent`
const READ = 'select message from instance_messages where id = $1'
const RECENT = `select message from instance_messages where sender <> $1 and sent_at >= now() - interval '${KEPT}'
order by id`

/**
 * Messages between the instances on one database. Notifications are too small for the messages, so they name a row. After a
 * lost connection, messages of the last minute can come twice.
 */
export function openInstanceMessages(options: InstanceMessagesOptions): InstanceMessages {
  const { database, instance, onMessage, log } = options
  const receive = (text: string, values: readonly unknown[]) => {
    database.query<{ message: Buffer }>({ text, values }).then(
      (rows) => {
        for (const { message } of rows) onMessage(JSON.parse(message.toString('utf8')) as InstanceMessage)
      },
      (error: Error) => log.warn('could not read the messages of other instances', { error: error.message }),
    )
  }
  const onNotify = (payload: string) => {
    const space = payload.lastIndexOf(' ')
    if (payload.slice(0, space) !== instance) receive(READ, [payload.slice(space + 1)])
  }
  const listener = database.listen(CHANNEL, onNotify, () => receive(RECENT, [instance]))
  return {
    async send(message) {
      await database.query({ text: SEND, values: [instance, Buffer.from(JSON.stringify(message))] })
    },
    close: () => listener.close(),
  }
}

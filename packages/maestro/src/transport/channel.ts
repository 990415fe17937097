import type { CloudEvent } from '../codec/cloud-event.js'

/** What a subscriber receives: the events of a cluster, or those of a source. */
export interface ChannelSubscription {
  readonly source?: string
  readonly clusterName?: string
  readonly dataType: string
}

export interface SubscriptionHandlers {
  /** The topic is the one of MQTT. */
  onEvent(event: CloudEvent, topic?: string): void
  /** Called after each subscription, also after a lost connection: events may have been missed before. */
  onConnected(): void
  /** Called when the subscription ends or cannot be made, before the next attempt. */
  onDisconnected(error: Error): void
}

export interface Subscription {
  close(): Promise<void>
}

export interface PublishOptions {
  readonly signal?: AbortSignal
}

/** A connection that carries events. */
export interface Channel {
  /** Resolves when the peer has acknowledged the event. Rejects at once while there is no connection. */
  publish(event: CloudEvent, options?: PublishOptions): Promise<void>
  /** Subscribes, and again after each lost connection, until it is closed. */
  subscribe(subscription: ChannelSubscription, handlers: SubscriptionHandlers): Subscription
  close(): Promise<void>
}

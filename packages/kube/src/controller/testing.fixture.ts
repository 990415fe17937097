import type { TestContext } from 'node:test'
import type { Kind, NamespacedObject } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import { KubeClient } from '../client/client.js'
import type { Logger, LogLevel } from '../log.js'
import { MetricRegistry } from '../metrics/registry.js'
import { FakeClock } from '../testing/fake-clock.js'
import { each } from './each.js'
import { FakeInformer } from './fake-informer.fixture.js'
import { type ControllerGroupOptions, startControllers } from './group.js'
import type { ControllerSpec, Wake } from './types.js'

export const Thing: Kind<NamespacedObject> = {
  group: '',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
}
export const Other: Kind<NamespacedObject> = { ...Thing, group: 'example.com', kind: 'Other', plural: 'others' }

/** For controllers that send no requests. */
export const unusedClient = new KubeClient({
  request: () => Promise.reject(new Error('no request was expected')),
})

/** Runs all pending callbacks that need no time. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

export interface LogLine {
  readonly level?: LogLevel
  readonly message: string
  readonly error?: Error
  readonly [field: string]: unknown
}

/** A log that records its lines, with the original values. */
export function recordingLog(lines: LogLine[], component = ''): Logger {
  const at =
    (level: LogLevel): Logger['info'] =>
    (message, fields) =>
      lines.push({ level, message, component, ...fields })
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    enables: () => true,
    child: (name) => recordingLog(lines, component === '' ? name : `${component}.${name}`),
  }
}

type TestControllerOptions = Partial<Omit<ControllerSpec, 'wakes' | 'name'>> &
  Partial<Omit<ControllerGroupOptions, 'client'>> & {
    readonly wakes?: (things: FakeInformer<NamespacedObject>, others: FakeInformer<NamespacedObject>) => Wake[]
  }

/** A controller of things on a fake clock. Records the objects it reconciled and its log lines. */
export function startTestController(t: Pick<TestContext, 'after'>, options: TestControllerOptions = {}) {
  const clock = new FakeClock()
  const lines: LogLine[] = []
  const things = new FakeInformer(Thing)
  const others = new FakeInformer(Other)
  const metrics = new MetricRegistry()
  const seen: string[] = []
  const { wakes, reconcile, concurrency, resyncMilliseconds, backoff, ...rest } = options
  const spec: ControllerSpec = {
    name: 'things',
    wakes: wakes?.(things, others) ?? [each(things)],
    reconcile(ref, context) {
      seen.push(keyOf(ref))
      return reconcile?.(ref, context) ?? Promise.resolve()
    },
    ...(concurrency !== undefined && { concurrency }),
    ...(resyncMilliseconds !== undefined && { resyncMilliseconds }),
    ...(backoff !== undefined && { backoff }),
  }
  const group = startControllers([spec], {
    client: unusedClient,
    clock,
    log: recordingLog(lines),
    metrics,
    ...rest,
  })
  t.after(async () => {
    const stopped = group.stop()
    await turns()
    clock.advance(30_000)
    await stopped
  })
  const start = () => {
    things.sync()
    return group.whenRunning()
  }
  const logged = (level: LogLevel, message?: string): LogLine[] =>
    lines
      .filter((line) => line.level === level && (message === undefined || line.message === message))
      .map(({ level: _, ...line }) => line)
  return { clock, things, others, metrics, seen, group, start, logged }
}

// Node's runner uses async hooks to find the test that an operation belongs to, for every promise, timer and request: a
// tenth of the CPU time of the tests. A file needs them while it registers tests, which belong to the suite whose callback
// makes them. While tests run, only an error that no test awaits needs them: it fails the test that runs at that time.
import { executionAsyncId } from 'node:async_hooks'
import { createRequire } from 'node:module'

const asyncHooks = createRequire(import.meta.url)('node:async_hooks')

/** The hook of the runner, and the functions that it calls. */
let runner
/** The suites and tests of the current file by async ID. Their names are set later. */
let registered = new Map()
/** Returns the names of the tests that run, the innermost last. */
let namesOfRunning = () => []

/** Loads Node's runner, whose hook `startTracking` and `stopTracking` control. */
export async function loadRunner(running) {
  namesOfRunning = running
  const { createHook } = asyncHooks
  // The runner reads the function when it is loaded, and calls it for its first test.
  asyncHooks.createHook = (callbacks) => takeHook(createHook, callbacks)
  try {
    return await import('node:test')
  } finally {
    asyncHooks.createHook = createHook
  }
}

function takeHook(createHook, callbacks) {
  const init = (asyncId, type, triggerAsyncId, resource) => {
    if (type === 'Test' || type === 'Suite') registered.set(asyncId, resource)
    callbacks.init(asyncId, type, triggerAsyncId, resource)
  }
  runner = { hook: createHook({ ...callbacks, init }), callbacks }
  process.on('uncaughtExceptionMonitor', (_, origin) => {
    if (origin === 'uncaughtException') assignToRunningTest()
  })
  process.prependListener('unhandledRejection', (reason) => {
    // Once the runner has ended, a rejection ends the process, as it would without this listener.
    if (process.listenerCount('unhandledRejection') === 1) throw reason
    assignToRunningTest()
  })
  return runner.hook
}

/** Call it before a file registers its tests. */
export function startTracking() {
  registered = new Map()
  runner?.hook.enable()
}

/** Call it when the file has registered them. */
export function stopTracking() {
  runner?.hook.disable()
}

/** Makes the operation that failed one of the running test, before the runner looks for its test. */
function assignToRunningTest() {
  const test = idOfRunningTest()
  if (test === undefined) return
  const operation = executionAsyncId()
  runner.callbacks.init(operation, 'Error', test, {})
  setImmediate(() => runner.callbacks.destroy(operation))
}

function idOfRunningTest() {
  const tests = [...registered].reverse()
  for (const running of namesOfRunning().reverse()) {
    const found = tests.find(([, { name }]) => name === running)
    if (found !== undefined) return found[0]
  }
}

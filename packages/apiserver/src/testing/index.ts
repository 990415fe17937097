export { type EventuallyOptions, eventually, FakeClock } from '@orrery/kube/testing'
export { startTestServer, type TestServer } from './start-test-server.js'

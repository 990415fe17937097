import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, parseGrpcConfig, parseMqttConfig } from './config.js'

test('parseGrpcConfig: reads the fields of Open Cluster Management', () => {
  const config = parseGrpcConfig(
    `url: maestro-grpc-broker:8091
caFile: /ca.crt
clientCertFile: /tls.crt
clientKeyData: ${Buffer.from('key').toString('base64')}
tokenFile: /token
keepAliveConfig: { enable: true, time: 40s, permitWithoutStream: true }
serverHealthinessTimeout: 20s
`,
    'config.yaml',
  )
  assert.deepEqual(config, {
    url: 'maestro-grpc-broker:8091',
    credentials: {
      ca: { file: '/ca.crt' },
      certificate: { file: '/tls.crt' },
      key: { text: 'key' },
      token: { file: '/token' },
    },
    keepAlive: { milliseconds: 40_000, timeoutMilliseconds: 10_000, always: true },
    healthinessMilliseconds: 20_000,
  })
  assert.deepEqual(parseGrpcConfig('url: a:1', 'c'), { url: 'a:1', credentials: {} })
})

test('parseMqttConfig: reads the fields of Open Cluster Management', () => {
  const topics = {
    sourceEvents: 'sources/maestro/consumers/+/sourceevents',
    agentEvents: 'sources/maestro/consumers/+/agentevents',
  }
  const config = parseMqttConfig(
    `brokerHost: mosquitto:1883
username: user
password: word
keepAlive: 30
dialTimeout: 60000000000
pubQoS: 1
subQoS: 2
topics: ${JSON.stringify(topics)}
`,
    'config.yaml',
  )
  assert.deepEqual(config, {
    brokerHost: 'mosquitto:1883',
    credentials: {},
    topics,
    username: 'user',
    password: 'word',
    keepAliveSeconds: 30,
    dialMilliseconds: 60_000,
    publishQos: 1,
    subscribeQos: 2,
  })
})

for (const [text, message] of [
  ['', 'c.yaml: the configuration is not a YAML object'],
  ['{', /^c.yaml: the file is not valid YAML/],
  ['caFile: x', 'c.yaml: url is required: set it to host:port'],
  ['{url: a:1, caFile: 3}', 'c.yaml: caFile is not valid: use a string'],
  ['{url: a:1, clientKeyFile: k}', 'c.yaml: set both clientCertFile and clientKeyFile, or none of them'],
  [
    '{url: a:1, keepAliveConfig: {enable: true, time: soon}}',
    /^c.yaml: keepAliveConfig.time is not valid: use a duration/,
  ],
  ['{url: a:1, serverHealthinessTimeout: []}', /^c.yaml: serverHealthinessTimeout is not valid/],
] as const) {
  test(`parseGrpcConfig: rejects ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => parseGrpcConfig(text, 'c.yaml'),
      (error) =>
        error instanceof ConfigError &&
        (typeof message === 'string' ? error.message === message : message.test(error.message)),
    )
  })
}

for (const [text, message] of [
  ['{}', 'c.yaml: brokerHost is required: set it to host:port'],
  ['{brokerHost: a:1}', 'c.yaml: topics.sourceEvents and topics.agentEvents are required'],
  ['{brokerHost: a:1, pubQoS: 3}', 'c.yaml: pubQoS is not valid: use 0, 1 or 2'],
  ['{brokerHost: a:1, keepAlive: -1}', 'c.yaml: keepAlive is not valid: use an integer from 0 to 65535'],
  [
    '{brokerHost: a:1, topics: {sourceEvents: x, agentEvents: sources/a/consumers/+/agentevents}}',
    /^c.yaml: topics.sourceEvents "x" is not valid: it has to match/,
  ],
] as const) {
  test(`parseMqttConfig: rejects ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => parseMqttConfig(text, 'c.yaml'),
      (error) =>
        error instanceof ConfigError &&
        (typeof message === 'string' ? error.message === message : message.test(error.message)),
    )
  })
}

import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { refuses } from './testing.fixture.js'

const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

const CONFIG_MAP: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } }

test("ConfigMap: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(CONFIG_MAP, [
    ['data', { 'a b': 'c' }, `data[a b]: Invalid value: "a b": ${CONFIG_KEY}`],
    ['data', { '..': 'c' }, `data[..]: Invalid value: "..": must not be '..'`],
    ['data', { '..a': 'c' }, `data[..a]: Invalid value: "..a": must not start with '..'`],
    [
      'data',
      { ['k'.repeat(254)]: 'c' },
      'data[kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk]: Invalid value: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk": must be no more than 253 characters',
    ],
    ['binaryData', { a: 'Yg==' }, 'data[a]: Invalid value: "a": duplicate of key present in binaryData'],
    ['data', { a: 'x'.repeat(1048577) }, '[]: Too long: may not be more than 1048576 bytes'],
  ])
})

const SECRET: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'c' },
  data: { a: 'Yg==' },
  stringData: { z: 'q' },
}

test("Secret: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(SECRET, [
    ['data', { 'a b': 'Yg==' }, `data[a b]: Invalid value: "a b": ${CONFIG_KEY}`],
    ['type', 'kubernetes.io/tls', ['data[tls.crt]: Required value', 'data[tls.key]: Required value']],
    ['type', 'kubernetes.io/dockerconfigjson', 'data[.dockerconfigjson]: Required value'],
    ['type', 'kubernetes.io/basic-auth', ['data[username]: Required value', 'data[password]: Required value']],
    ['type', 'kubernetes.io/ssh-auth', 'data[ssh-privatekey]: Required value'],
    [
      'type',
      'kubernetes.io/service-account-token',
      'metadata.annotations[kubernetes.io/service-account.name]: Required value',
    ],
    ['data', { a: `${'A'.repeat(1398103)}=` }, 'data: Too long: may not be more than 1048576 bytes'],
  ])
})

import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { FINITE_TEMPLATE, SELECTOR, WRONG_SELECTORS } from './samples.fixture.js'
import { refuses } from './testing.fixture.js'

const JOB: KubeObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j' },
  spec: {
    manualSelector: true,
    selector: SELECTOR,
    template: FINITE_TEMPLATE,
  },
}

test("Job: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(JOB, [
    ['spec.parallelism', -1, 'spec.parallelism: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.completions', -1, 'spec.completions: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.backoffLimit', -1, 'spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.completionMode',
      'Foo',
      'spec.completionMode: Unsupported value: "Foo": supported values: "NonIndexed", "Indexed"',
    ],
    [
      'spec.template.spec.restartPolicy',
      'Always',
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    [
      'spec.template.spec.restartPolicy',
      'Foo',
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Foo": supported values: "Always", "OnFailure", "Never"',
        'spec.template.spec.restartPolicy: Unsupported value: "Foo": supported values: "OnFailure", "Never"',
      ],
    ],
    ...WRONG_SELECTORS,
    [
      'spec.ttlSecondsAfterFinished',
      -1,
      'spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.maxFailedIndexes',
      1,
      [
        'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
        'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
      ],
    ],
    ['spec.backoffLimitPerIndex', 1, 'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    [
      'spec.managedBy',
      'foo',
      'spec.managedBy: Invalid value: "foo": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [
      'spec.managedBy',
      'a.b/cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc',
      'spec.managedBy: Too long: may not be more than 63 bytes',
    ],
    [
      'spec.podReplacementPolicy',
      'Foo',
      'spec.podReplacementPolicy: Unsupported value: "Foo": supported values: "Failed", "TerminatingOrFailed"',
    ],
  ])
})

const CRON_JOB: KubeObject = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'j' },
  spec: {
    schedule: '*/5 * * * *',
    jobTemplate: { spec: { template: FINITE_TEMPLATE } },
  },
}

test("CronJob: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(CRON_JOB, [
    ['spec.schedule', '', 'spec.schedule: Required value'],
    ['spec.schedule', 'foo', 'spec.schedule: Invalid value: "foo": expected exactly 5 fields, found 1: [foo]'],
    [
      'spec.schedule',
      '* * * *',
      'spec.schedule: Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]',
    ],
    [
      'spec.schedule',
      '60 * * * *',
      'spec.schedule: Invalid value: "60 * * * *": end of range (60) above maximum (59): 60',
    ],
    ['spec.schedule', '* * * * 7', 'spec.schedule: Invalid value: "* * * * 7": end of range (7) above maximum (6): 7'],
    [
      'spec.schedule',
      'a * * * *',
      'spec.schedule: Invalid value: "a * * * *": failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax',
    ],
    [
      'spec.schedule',
      '5-1 * * * *',
      'spec.schedule: Invalid value: "5-1 * * * *": beginning of range (5) beyond end of range (1): 5-1',
    ],
    [
      'spec.schedule',
      '*/0 * * * *',
      'spec.schedule: Invalid value: "*/0 * * * *": step of range should be a positive number: */0',
    ],
    ['spec.schedule', '1/2/3 * * * *', 'spec.schedule: Invalid value: "1/2/3 * * * *": too many slashes: 1/2/3'],
    ['spec.schedule', '1-2-3 * * * *', 'spec.schedule: Invalid value: "1-2-3 * * * *": too many hyphens: 1-2-3'],
    ['spec.schedule', '@foo', 'spec.schedule: Invalid value: "@foo": unrecognized descriptor: @foo'],
    [
      'spec.schedule',
      '@every x',
      'spec.schedule: Invalid value: "@every x": failed to parse duration @every x: time: invalid duration "x"',
    ],
    [
      'spec.schedule',
      '-1 * * * *',
      'spec.schedule: Invalid value: "-1 * * * *": failed to parse int from : strconv.Atoi: parsing "": invalid syntax',
    ],
    [
      'spec.schedule',
      '* * 0 * *',
      'spec.schedule: Invalid value: "* * 0 * *": beginning of range (0) below minimum (1): 0',
    ],
    [
      'spec.schedule',
      'TZ=UTC * * * * *',
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    ['spec.timeZone', 'Foo/Bar', 'spec.timeZone: Invalid value: "Foo/Bar": unknown time zone Foo/Bar'],
    ['spec.timeZone', '', 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
    [
      'spec.timeZone',
      'Local',
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
    [
      'spec.concurrencyPolicy',
      'Foo',
      'spec.concurrencyPolicy: Unsupported value: "Foo": supported values: "Allow", "Forbid", "Replace"',
    ],
    [
      'spec.startingDeadlineSeconds',
      -1,
      'spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.successfulJobsHistoryLimit',
      -1,
      'spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.jobTemplate.spec.selector',
      {},
      'spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated',
    ],
    [
      'spec.jobTemplate.spec.manualSelector',
      true,
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
    [
      'metadata.name',
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 52 characters',
    ],
    [
      'spec.jobTemplate.spec.template.spec.restartPolicy',
      'Always',
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
  ])
})

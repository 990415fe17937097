import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDate } from './date.js'
import { Templates } from './template.js'

const templates = new Templates(() => new Date('2030-01-02T03:04:05.678Z'))
const data = {
  clusterId: 'abc123',
  name: '  My cluster ',
  count: 3,
  ratio: 0.5,
  isOn: true,
  empty: '',
  nothing: null,
  nested: { list: ['a', 'b'], map: { y: 'Y', x: 'X' } },
}

for (const [source, expected] of [
  ['plain } text {', 'plain } text {'],
  ['{{ .clusterId }}-mw', 'abc123-mw'],
  [
    '{{.nested.list}} {{.nested.map}} {{.count}} {{.ratio}} {{.isOn}} {{.nothing}}',
    '[a b] map[x:X y:Y] 3 0.5 true <no value>',
  ],
  ['{{ .clusterId | upper | printf "<%s>" }}', '<ABC123>'],
  ['{{ now | date "2006-01-02T15:04:05Z07:00" }}', '2030-01-02T03:04:05Z'],
  ['{{ now | dateFormat "Jan _2 2006" }}', 'Jan  2 2030'],
  ['{{ .name | trim | lower }}|{{ "HELLO wide world" | title }}', 'my cluster|Hello Wide World'],
  ['{{ trimPrefix "abc" "a" }}{{ trimSuffix "abc" "c" }}{{ replace "aba" "a" "$&" }}', 'bcab$&b$&'],
  ['{{ default "none" .empty }} {{ .clusterId | default "none" }} {{ default 7 .nothing }}', 'none abc123 7'],
  ['{{ int "12" }} {{ int64 3.9 }} {{ int "x" }} {{ float "1.5" }} {{ string 4 }}', '12 3 0 1.5 4'],
  ['{{ quote "a\\"b" }}', '"a\\"b"'],
  ['{{ if eq .count 3 }}three{{ else }}other{{ end }}', 'three'],
  ['{{ if .empty }}a{{ else if gt .count 5 }}b{{ else }}c{{ end }}', 'c'],
  ['{{ if and .isOn (not .empty) (or .nothing .count) }}yes{{ end }}', 'yes'],
  ['{{ range .nested.list }}[{{ . }} of {{ $.clusterId }}]{{ end }}', '[a of abc123][b of abc123]'],
  ['{{ range .nested.map }}{{ . }}{{ end }}{{ range .empty }}x{{ else }}none{{ end }}', 'XYnone'],
  ['{{ with .nested.map }}{{ .x }}{{ end }}', 'X'],
  ['{{ $id := .clusterId }}{{ $id | upper }}', 'ABC123'],
  ['a {{- " b " -}} c', 'a b c'],
  ['{{/* a comment }} */}}{{ index .nested.list 1 }}{{ index .nested.map "x" }}{{ len .nested.list }}', 'bX2'],
  ['{{ hasPrefix .clusterId "abc" }} {{ contains .clusterId "z" }} {{ `raw "text"` }}', 'true false raw "text"'],
] as const) {
  test(`Templates: renders ${source}`, () => {
    assert.equal(templates.render(source, data), expected)
  })
}

for (const [source, message] of [
  ['{{ .missing }}', '.missing: no value for key "missing"'],
  ['{{ .nested.map.z }}', '.nested.map.z: no value for key "z"'],
  ['{{ .clusterId.x }}', '.clusterId.x: cannot read field "x" of abc123'],
  ['{{ lower .count }}', 'expected a string, got 3'],
  ['{{ $x }}', 'undefined variable $x'],
] as const) {
  test(`Templates: fails on ${source}`, () => {
    assert.throws(() => templates.render(source, data), { message })
  })
}

for (const [source, message] of [
  ['{{ .a', /unclosed action: "\{\{ \.a"/],
  ['{{ if .a }}x', /\{\{if\}\} has no \{\{end\}\}/],
  ['{{ end }}', /unexpected \{\{end\}\}/],
  ['{{ shout .a }}', /function "shout" is not defined/],
  ['{{ (.a }}', /unclosed left parenthesis/],
  ['{{ .a | }}', /missing value for command/],
  ['{{ .a ; }}', /unexpected ";/],
  ['{{ .b.a }}', /\.b is not defined: use a, list/],
  ['{{ with .a }}{{ .x }}{{ $.y }}{{ end }}', /\.y is not defined/],
  ['{{ range .list }}{{ .x }}{{ else }}{{ lower (upper .z) }}{{ end }}', /\.z is not defined/],
] as const) {
  test(`Templates: rejects ${source}`, () => {
    assert.throws(() => templates.check(source, ['a', 'list']), message)
  })
}

test('Templates: finds the names that a template uses', () => {
  assert.equal(templates.uses('{{ if .a }}{{ printf "%s" (lower .b) }}{{ end }}', 'b'), true)
  assert.equal(templates.uses('{{ .a.b }} b', 'b'), false)
})

test('formatDate: formats the forms of a layout of Go', () => {
  const time = new Date('2030-12-31T13:04:05.060Z')
  const layout = 'Monday Mon January 01 1 02 15 03PM 3pm 04 05 06 MST -0700 -07:00 .000 .999999 Z0700'
  assert.equal(
    formatDate(layout, time),
    'Tuesday Tue December 12 12 31 13 01PM 1pm 04 05 30 UTC +0000 +00:00 .060 .06 Z',
  )
})

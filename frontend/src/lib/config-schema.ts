/** A method's `config_schema` (JSON schema of its pydantic model) as the fields of a form. */
export type ConfigValue = number | boolean | string | null | readonly string[]

interface Common {
  readonly key: string
  readonly label: string
  readonly help: string
}

export type ConfigField = Common &
  (
    | {
        readonly kind: 'number'
        readonly integer: boolean
        readonly nullable: boolean
        readonly minimum: number | undefined
        readonly maximum: number | undefined
        readonly initial: number | null
      }
    | { readonly kind: 'boolean'; readonly initial: boolean }
    | {
        readonly kind: 'choice'
        readonly options: readonly string[]
        readonly initial: string | null
      }
    | { readonly kind: 'text'; readonly initial: string | null }
    | {
        readonly kind: 'code'
        readonly initial: string | null
        /** A text that works, to begin with. */
        readonly example: string | null
      }
    | {
        readonly kind: 'endpoint'
        readonly initial: string | null
        /** What its model has to write and a small one seldom can: a setting of that name takes its place. */
        readonly writes: string | null
      }
    | {
        readonly kind: 'endpoints'
        readonly maximum: number | undefined
        readonly initial: readonly string[]
      }
  )

type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined
const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/** The format of a string that is an endpoint's key. */
const ENDPOINT = 'endpoint'
/** The format of a string of many lines, such as a script. */
const CODE = 'code'
const ABBREVIATIONS = /\b(gae|grpo|hrpo|jpss|kl|llm|ppo)\b/g

/** `edge_mode` as “Edge mode”. */
export const titled = (key: string): string => {
  const words = key.replaceAll('_', ' ').replace(ABBREVIATIONS, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Fields in the order of the schema. A property this form cannot show keeps its default on the server. */
export function configFields(schema: unknown): ConfigField[] {
  if (!isSchema(schema) || !isSchema(schema.properties)) return []
  const definitions = isSchema(schema.$defs) ? schema.$defs : {}
  return Object.entries(schema.properties).flatMap(([key, property]) => {
    const field = isSchema(property) ? fieldOf(key, property, definitions) : null
    return field ? [field] : []
  })
}

function fieldOf(key: string, property: Schema, definitions: Schema): ConfigField | null {
  const options = Array.isArray(property.anyOf) ? property.anyOf.filter(isSchema) : [property]
  const nullable = options.some((option) => option.type === 'null')
  const value = resolve(options.find((option) => option.type !== 'null') ?? property, definitions)
  const common = { key, label: titled(key), help: asText(property.description) }
  const initial = property.default
  if (Array.isArray(value.enum))
    return {
      ...common,
      kind: 'choice',
      options: value.enum.filter((option) => typeof option === 'string'),
      initial: asText(initial) || null,
    }
  switch (value.type) {
    case 'integer':
    case 'number': {
      const integer = value.type === 'integer'
      return {
        ...common,
        kind: 'number',
        integer,
        nullable,
        minimum: asNumber(value.minimum) ?? above(asNumber(value.exclusiveMinimum), integer, 1),
        maximum: asNumber(value.maximum) ?? above(asNumber(value.exclusiveMaximum), integer, -1),
        initial: asNumber(initial) ?? null,
      }
    }
    case 'boolean':
      return { ...common, kind: 'boolean', initial: initial === true }
    case 'string': {
      const text = { ...common, initial: asText(initial) || null }
      if (value.format === ENDPOINT)
        return { ...text, kind: 'endpoint', writes: asText(property.writes) || null }
      if (value.format === CODE) return { ...text, kind: 'code', example: exampleIn(property) }
      return { ...text, kind: 'text' }
    }
    case 'array':
      return isSchema(value.items) && value.items.format === ENDPOINT
        ? {
            ...common,
            kind: 'endpoints',
            maximum: asNumber(value.maxItems),
            initial: isTexts(initial) ? initial : [],
          }
        : null
    default:
      return null
  }
}

const exampleIn = ({ examples }: Schema): string | null =>
  isTexts(examples) ? (examples[0] ?? null) : null

/** A `$ref` (also inside a single `allOf`) replaced by what it names. */
function resolve(schema: Schema, definitions: Schema): Schema {
  const [only] = Array.isArray(schema.allOf) ? schema.allOf.filter(isSchema) : []
  const named = asText((only ?? schema).$ref)
    .split('/')
    .at(-1)
  const target = named ? definitions[named] : only
  return isSchema(target) ? target : schema
}

/** The inclusive neighbour of an exclusive bound; the bound itself for reals, which the server checks. */
const above = (bound: number | undefined, integer: boolean, step: number): number | undefined =>
  bound !== undefined && integer ? bound + step : bound

export const isConfigValue = (value: unknown): value is ConfigValue =>
  value === null || ['number', 'boolean', 'string'].includes(typeof value) || isTexts(value)

/** Lists are equal where their entries are, in their order. */
export const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || (isTexts(one) && isTexts(other) && one.join('\n') === other.join('\n'))

/** A setting as it is told beside others. */
export const valueText = (value: unknown): string => {
  if (isTexts(value)) return value.join(', ') || '[]'
  if (typeof value !== 'string') return JSON.stringify(value ?? null)
  return value.includes('\n') ? ofManyLines(value) : value
}

const ofManyLines = (text: string): string => {
  const [first = '', ...more] = text.trim().split('\n')
  return `${first} … (${String(more.length + 1)} lines, ${String(text.length)} characters)`
}

/** The fields, each with the value that `values` has for it as its initial one. */
export const fieldsFrom = (
  fields: readonly ConfigField[],
  values: Readonly<Record<string, unknown>>,
): ConfigField[] =>
  fields.map((field) => {
    const value = values[field.key]
    return isConfigValue(value) ? ({ ...field, initial: value } as ConfigField) : field
  })

/** Only what differs from the defaults is sent, so a run's record shows what its user chose. */
export function changedConfig(
  fields: readonly ConfigField[],
  values: Readonly<Record<string, ConfigValue>>,
): Record<string, ConfigValue> {
  return Object.fromEntries(
    fields.flatMap(({ key, initial }) => {
      const value = values[key]
      return value === undefined || isSameValue(value, initial) ? [] : [[key, value]]
    }),
  )
}

export interface ConfigGroup {
  readonly title: string
  readonly fields: readonly ConfigField[]
}

/**
 * Fields in the groups that a schema names: `groups` maps the first field of each group to its title.
 * Without it all are one group without a title.
 */
export function configGroups(schema: unknown, fields: readonly ConfigField[]): ConfigGroup[] {
  const titles = isSchema(schema) && isSchema(schema.groups) ? schema.groups : {}
  const groups: { title: string; fields: ConfigField[] }[] = []
  for (const field of fields) {
    const title = titles[field.key]
    if (typeof title === 'string') groups.push({ title, fields: [] })
    else if (groups.length === 0) groups.push({ title: '', fields: [] })
    groups.at(-1)?.fields.push(field)
  }
  return groups
}

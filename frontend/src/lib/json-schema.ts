/** Whether a value is what a JSON schema of the server asks for: the part of the language that pydantic
 * writes for plain models. What the schema says in any other word is not asked for. */

type Schema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const schemasOf = (value: unknown): readonly Schema[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** No number stands for no limit. */
const least = (limit: unknown): number =>
  typeof limit === 'number' ? limit : Number.NEGATIVE_INFINITY
const most = (limit: unknown): number =>
  typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY

export function fits(value: unknown, schema: Schema, root: Schema = schema): boolean {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    const found = isObject(root.$defs) ? root.$defs[name] : undefined
    return isObject(found) && fits(value, found, root)
  }
  if (schema.anyOf !== undefined)
    return schemasOf(schema.anyOf).some((option) => fits(value, option, root))
  if ('const' in schema) return value === schema.const
  switch (schema.type) {
    case 'object':
      return isObject(value) && fitsObject(value, schema, root)
    case 'array':
      return Array.isArray(value) && fitsArray(value, schema, root)
    case 'string':
      return typeof value === 'string' && fitsText(value, schema)
    case 'number':
      return (
        Number.isFinite(value) &&
        Number(value) >= least(schema.minimum) &&
        Number(value) <= most(schema.maximum)
      )
    case 'boolean':
      return typeof value === 'boolean'
    case 'null':
      return value === null
    default:
      return false
  }
}

function fitsObject(value: Schema, schema: Schema, root: Schema): boolean {
  const known = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  return (
    required.every((key) => Object.hasOwn(value, String(key))) &&
    Object.entries(value).every(([key, each]) => {
      const property = Object.hasOwn(known, key) ? known[key] : undefined
      return isObject(property) && fits(each, property, root)
    })
  )
}

function fitsArray(value: readonly unknown[], schema: Schema, root: Schema): boolean {
  const { items } = schema
  return (
    value.length <= most(schema.maxItems) &&
    isObject(items) &&
    value.every((each) => fits(each, items, root))
  )
}

/** Lengths are counted in code points, as the server does. */
const fitsText = (value: string, { maxLength, pattern }: Schema): boolean =>
  (value.length <= most(maxLength) || Array.from(value).length <= most(maxLength)) &&
  (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(value))

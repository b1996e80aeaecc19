import { parse } from "acorn";

/** A mistake in a kernel, at a line of it. */
export class KernelError extends Error {
  constructor(text, line, column = 0) {
    super(text);
    this.line = line;
    this.column = column;
  }
}

/**
 * A kernel's source with the places of its accesses: `x[k]` becomes a call that knows its line and column, and so do the
 * assignment to it and every call, whose function finds the place in `$`. Lines stay where they are. Arrays that are made without a name
 * get that of their variable.
 */
export function withPlaces(source) {
  let tree;
  try {
    tree = parse(source, { ecmaVersion: 2022, locations: true });
  } catch (problem) {
    throw new KernelError(problem.message.replace(/ \(\d+:\d+\)$/, ""), problem.loc?.line ?? 1, problem.loc?.column ?? 0);
  }
  return new Writer(source).write(tree);
}

const makers = new Set(["shared", "sharedCounts", "allocate", "allocateCounts"]);

class Writer {
  constructor(source) {
    this.source = source;
  }

  write(node) {
    const special = this[node.type];
    return special?.call(this, node) ?? this.copy(node);
  }

  /** The text of a node, in which its children are written. */
  copy(node) {
    let text = "", at = node.start;
    for (const child of childrenOf(node)) {
      text += this.source.slice(at, child.start) + this.write(child);
      at = child.end;
    }
    return text + this.source.slice(at, node.end);
  }

  MemberExpression(node) {
    if (!node.computed || node.optional) return null;
    return `$.get(${this.write(node.object)}, ${this.write(node.property)}, ${placeOf(node)})`;
  }

  AssignmentExpression(node) {
    this.refusePattern(node.left);
    if (node.left.type !== "MemberExpression" || !node.left.computed) return null;
    const { object, property } = node.left;
    const [array, index, value] = [object, property, node.right].map((each) => this.write(each));
    if (node.operator === "=") return `$.set(${array}, ${index}, ${value}, ${placeOf(node.left)})`;
    const change = `($old) => $old ${node.operator.slice(0, -1)} (${value})`;
    return `$.change(${array}, ${index}, ${change}, false, ${placeOf(node.left)})`;
  }

  UpdateExpression(node) {
    if (node.argument.type !== "MemberExpression" || !node.argument.computed) return null;
    const { object, property } = node.argument;
    const change = `($old) => $old ${node.operator[0]} 1`;
    return `$.change(${this.write(object)}, ${this.write(property)}, ${change}, ${!node.prefix}, ${placeOf(node.argument)})`;
  }

  CallExpression(node) {
    if (node.optional || node.callee.type === "Super") return null;
    const words = node.arguments.map((each) => this.write(each));
    if (node.callee.type === "MemberExpression" && !node.callee.computed) {
      const name = node.callee.property.name;
      if (makers.has(name) && words.length === 1 && node.nameOfVariable) words.push(JSON.stringify(node.nameOfVariable));
      return `$.call(${this.write(node.callee.object)}, "${name}", [${words.join(", ")}], ${placeOf(node)})`;
    }
    return `$.callFunction(${this.write(node.callee)}, [${words.join(", ")}], ${placeOf(node)})`;
  }

  VariableDeclarator(node) {
    if (node.id.type === "Identifier" && node.init?.type === "CallExpression") node.init.nameOfVariable = node.id.name;
    return null;
  }

  Property(node) {
    return node.shorthand ? this.source.slice(node.start, node.end) : null;
  }

  refusePattern(left) {
    const isPattern = left.type === "ArrayPattern" || left.type === "ObjectPattern";
    if (isPattern && hasAccess(left))
      throw new KernelError("write the assignments of this pattern one by one", left.loc.start.line, left.loc.start.column);
  }
}

function placeOf(node) {
  return `${node.loc.start.line}, ${node.loc.start.column + 1}`;
}

function hasAccess(node) {
  return node.type === "MemberExpression" || childrenOf(node).some(hasAccess);
}

function childrenOf(node) {
  const isNode = (value) => value !== null && typeof value === "object" && typeof value.type === "string";
  return Object.values(node).flat().filter(isNode).sort((a, b) => a.start - b.start);
}

/** An operator that an expression of a and b describes, such as "a*b+1" or "max(a, b)": a part of what `tally explain --op` takes. */
export class ExpressionError extends Error {}

const functions = ["min", "max", "abs", "sqrt"];
const token = /\s*(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+|[a-z]\w*|<=|>=|==|!=|[-+*/%()<>?:,])/iy;

export function operatorOf(text) {
  const refuse = (why) => {
    throw new ExpressionError(`${text}: ${why}. An operator of your own is an expression of a and b, such as a*b + 1 or max(a, b).`);
  };
  const words = [];
  token.lastIndex = 0;
  for (let end = 0; end < text.trimEnd().length; end = token.lastIndex) {
    const found = token.exec(text);
    if (found === null) refuse(`what is "${text.slice(end).trim()}"?`);
    const word = found[1];
    if (/^[a-z]/i.test(word) && !["a", "b", ...functions].includes(word)) refuse(`${word} is none of a, b, ${functions.join(", ")}`);
    words.push(functions.includes(word) ? `Math.${word}` : word);
  }
  if (!words.includes("a") && !words.includes("b")) refuse("neither a nor b is in it");
  let combine;
  try {
    combine = new Function("a", "b", `"use strict"; return +(${words.join(" ")});`);
    combine(7, 3);
  } catch {
    refuse("this cannot be read");
  }
  return combine;
}

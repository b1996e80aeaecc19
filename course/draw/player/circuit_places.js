/** Where the nodes of a circuit, and the ways between them, stand in the drawing, for the width that there is. */
class CircuitPlaces {
  constructor(flow, width, fit) {
    this.left = width < 500 ? 52 : 84; // of it the names of the rows
    const least = fit ? 0 : 16; // 16 columns are as wide as a phone
    this.pitch = Math.min(68, Math.max(least, (width - this.left - 8) / flow.columns));
    this.width = Math.max(width, this.left + this.pitch * flow.columns + 8);
    this.hasValues = this.pitch >= 16;
    this.isSmall = this.pitch < 7;
    this.radius = Math.min(17, Math.max(0.8, this.pitch * 0.44));
    this.slant = 24;
    this.head = 20;
    this.rowHeight = Math.max(34, this.slant + 2 * this.radius + 6);
    this.firstHeight = Math.max(24, 2 * this.radius + 8);
    this.rows = flow.rows.length;
    this.bottom = this.rowTop(this.rows);
    this.height = this.bottom + 2 * this.radius + 14;
  }

  x(column) {
    return this.left + (column + 0.5) * this.pitch;
  }

  y(row) {
    return this.rowTop(row + 1) - this.radius - 3;
  }

  rowTop(row) {
    return row === 0 ? this.head : this.head + this.firstHeight + (row - 1) * this.rowHeight;
  }

  rowAt(y) {
    const row = y < this.head + this.firstHeight ? 0 : 1 + Math.floor((y - this.head - this.firstHeight) / this.rowHeight);
    return Math.min(row, this.rows - 1);
  }

  /** The part of a way that leaves the column it comes from. */
  edge(from, to) {
    const end = this.y(to.row) - this.half(to);
    return from.column === to.column ? `M${this.x(to.column)} ${end - this.slant}V${end}`
      : `M${this.x(from.column)} ${this.leaves(from, to)}L${this.x(to.column)} ${end}`;
  }

  /** The whole way: down the column that it comes from, then across. */
  way(from, to) {
    const end = this.y(to.row) - this.half(to);
    return `M${this.x(from.column)} ${this.y(from.row)}V${this.leaves(from, to)}L${this.x(to.column)} ${end}`;
  }

  leaves(from, to) {
    return Math.max(this.y(from.row), this.y(to.row) - this.radius - this.slant);
  }

  /** Half the height of a node. */
  half(node) {
    return node.kind === "combined" ? this.radius : node.kind === "constant" ? this.radius * 0.95 : this.radius * 0.8;
  }

  /** Operations are circles, constants diamonds, all else squares. */
  outline(node) {
    const x = this.x(node.column), y = this.y(node.row), h = this.half(node);
    if (node.kind === "combined") return this.circle(x, y, h);
    if (node.kind === "constant") return `M${x} ${y - h}L${x + h} ${y}L${x} ${y + h}L${x - h} ${y}Z`;
    return `M${x - h} ${y - h}H${x + h}V${y + h}H${x - h}Z`;
  }

  ring(node) {
    return this.circle(this.x(node.column), this.y(node.row), this.isSmall ? this.radius : this.radius + 3.5);
  }

  circle(x, y, r) {
    return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
}

# shellcheck shell=bash
# A little of everything for the demo: several users and databases, quick and
# slow statements, an error now and then, prepared statements.
# Needs: servers.sh and a server started by it

load_pids=()

# Arrays, not functions: in the background a function would be a shell around the
# client, and ending that shell would leave the client behind.
set_load_commands() {
  client=(mariadb --no-defaults --socket="$server_socket")
  bench=(sysbench oltp_point_select --db-driver=mysql --mysql-socket="$server_socket"
    --mysql-user=bench --mysql-db=bench --tables=1 --table-size=1000)
}

prepare_load() {
  set_load_commands
  "${client[@]}" --user=root <<'END'
CREATE DATABASE shop; CREATE DATABASE blog; CREATE DATABASE bench;
CREATE USER anna@localhost; GRANT ALL ON shop.* TO anna@localhost;
CREATE USER writer@localhost; GRANT ALL ON blog.* TO writer@localhost;
CREATE USER bench@localhost; GRANT ALL ON bench.* TO bench@localhost;
CREATE TABLE shop.orders (id INT AUTO_INCREMENT PRIMARY KEY, customer VARCHAR(40), total DECIMAL(8, 2));
INSERT INTO shop.orders (customer, total) SELECT CONCAT('customer ', seq MOD 97), seq FROM shop.seq_1_to_2000;
CREATE TABLE blog.posts (id INT AUTO_INCREMENT PRIMARY KEY, title VARCHAR(80), body TEXT);
END
  quietly "${bench[@]}" prepare
}

# Statements come with pauses, so that a person can read along.
shop_statements() {
  while sleep 0.4; do
    echo "SELECT customer, SUM(total) FROM orders GROUP BY customer ORDER BY 2 DESC LIMIT 3;"
    echo "INSERT INTO orders (customer, total) VALUES ('customer $((RANDOM % 97))', $((RANDOM % 500)).50);"
    sleep 0.4
    echo "UPDATE orders SET total = total * 1.01 WHERE id = $((RANDOM % 2000));"
    ((RANDOM % 3)) || echo "SELECT * FROM order; -- a typing error"
    ((RANDOM % 4)) || echo "SELECT id, SLEEP(0.3) FROM orders WHERE id = 7; -- a slow one"
  done
}

blog_statements() {
  while sleep 0.7; do
    echo "INSERT INTO posts (title, body) VALUES ('Grüße aus $RANDOM', REPEAT('lorem ipsum ', 50));"
    echo "SELECT title FROM posts WHERE body LIKE '%ipsum%' ORDER BY id DESC LIMIT 5;"
    ((RANDOM % 4)) || echo "DELETE FROM comments WHERE post = $((RANDOM % 100));"
  done
}

start_load() {
  # A client that is gone breaks the pipe, which ends its loop.
  shop_statements 2>/dev/null | "${client[@]}" --user=anna shop --force --unbuffered >/dev/null 2>&1 &
  load_pids+=($!)
  blog_statements 2>/dev/null | "${client[@]}" --user=writer blog --force --unbuffered >/dev/null 2>&1 &
  load_pids+=($!)
  "${bench[@]}" --threads=1 --time=0 --rate=2 --db-ps-mode=auto run >/dev/null 2>&1 &
  load_pids+=($!)
}

stop_load() {
  ((${#load_pids[@]})) || return 0
  kill "${load_pids[@]}" 2>/dev/null || true
  wait "${load_pids[@]}" 2>/dev/null || true
}
